// The table of operations. A new operation is a row here and its handler, with a json_of and a
// text_of for its result.
#pragma once

namespace workers {

struct OperationTable;

const OperationTable& operations();

}  // namespace workers
