// <sys/pidfd.h>, which in glibc 2.36 forgets to say that its functions are C.
#pragma once

extern "C" {
#include <sys/pidfd.h>
}
