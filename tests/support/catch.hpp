// The one place that includes Catch2; precompiled for every test.
#pragma once

#include <catch2/catch.hpp>
