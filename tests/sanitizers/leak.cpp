// A canary: leaks memory.
#include <cstdlib>

int main() {
  volatile char* lost = static_cast<char*>(std::malloc(16));
  if (lost == nullptr) return 0;
  lost[0] = 1;
  lost = nullptr;
  return 0;
}
