// A line that is edited at the terminal while other things are printed above it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tools/steno/client/line_input.hpp"

namespace steno {

// Only one can exist in a process, on its stdin and stdout, which are a terminal. While it is
// shown, the terminal hands on each key; hide it before anything else is printed. Earlier lines are
// found with the arrow keys.
class LineEditor final : public LineInput {
 public:
  LineEditor();
  ~LineEditor() override;
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Shows the sign and what is typed so far, below a line of which `columns` are printed; 0: that
  // line has ended.
  void show(const std::string& sign, std::size_t columns);
  // Takes them off the terminal, and keeps them. The line above goes on where it ended.
  void hide();
  bool is_shown() const { return is_shown_; }
  // Puts what is typed so far away, until take_back().
  void put_away();
  void take_back();

  // Reads the keys that were pressed. The end of the input is Ctrl-D on an empty line.
  void fill() override;

 private:
  struct Library;
  void keep_line();

  const std::unique_ptr<Library> library_;
  std::string sign_;
  std::string line_;         // typed so far, while it is hidden
  std::size_t cursor_ = 0;   // in it
  std::size_t columns_ = 0;  // of the line above
  std::string away_;
  bool is_shown_ = false;
};

}  // namespace steno
