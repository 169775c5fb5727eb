// Includes <sys/pidfd.h> as C, which glibc 2.36 forgets to declare.
#pragma once

extern "C" {
#include <sys/pidfd.h>
}
