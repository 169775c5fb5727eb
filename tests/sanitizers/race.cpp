// A canary: two threads count in one variable without a lock.
#include <thread>

int main() {
  volatile int count = 0;
  const auto add = [&] {
    for (int i = 0; i < 1000; ++i) count = count + 1;
  };
  std::jthread other(add);
  add();
  return 0;
}
