// A canary: reads the byte behind its memory.
#include <memory>

int main(int argc, char**) {
  const auto bytes = std::make_unique<char[]>(16);
  volatile const char* first = bytes.get();
  return first[15 + argc] == 1 ? 1 : 0;
}
