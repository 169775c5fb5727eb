// The environment of a program that is run: this process's own, changed.
#pragma once

#include <string>
#include <vector>

namespace processes {

// Returns the environment of this process with the variables "NAME=value" in place of its own of
// that name, and without those that are named alone: "NAME". It ends with a null pointer, and
// points into `variables`, and into the environment of this process.
std::vector<char*> environment_with(const std::vector<std::string>& variables);

}  // namespace processes
