// Settings of the sanitizers, linked into every program of the presets `asan` and `tsan`, so that
// they hold however a program is started. Only code of libraries is suppressed, each with its
// reason.

// The sanitizers look for these names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

const char* __asan_default_options() {
  return "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:"
         "check_initialization_order=1:strict_init_order=1:quarantine_size_mb=64";
}

const char* __ubsan_default_options() {
  return "print_stacktrace=1";
}

// A race ends the program, for most tests see only its exit code.
const char* __tsan_default_options() {
  return "halt_on_error=1:second_deadlock_stack=1";
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
