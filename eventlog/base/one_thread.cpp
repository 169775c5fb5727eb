// Apart from the header, since no header includes check.hpp.
#include "eventlog/base/one_thread.hpp"

#include "eventlog/base/check.hpp"

namespace base {

void OneThread::used_by_another() {
  check_failed("the object is used by the thread that it belongs to", __FILE__, __LINE__);
}

}  // namespace base
