// A canary: a sum that overflows int.
#include <limits>

int main(int argc, char**) {
  volatile int sum = std::numeric_limits<int>::max();
  sum = sum + argc;
  return 0;
}
