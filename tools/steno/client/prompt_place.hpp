// Where a prompt comes from that the command line does not have itself.
#pragma once

#include <string>

namespace steno {

struct PromptPlace {
  std::string file;        // path of the file whose text is the prompt; empty: none
  bool is_edited = false;  // a person writes it in an editor, over what was given otherwise
  bool is_draft = false;   // the file is what an editor left, and goes once the prompt is accepted
};

}  // namespace steno
