#include "app/sandbox/secrecy.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace ingle::sandbox {

void keepOutOfDumps() {
    // Neither can be refused to a process about itself.
    ::prctl(PR_SET_DUMPABLE, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace ingle::sandbox
