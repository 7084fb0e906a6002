// Not part of any program: two tests compile it (tests/CMakeLists.txt). With KEPT it compiles; without, each
// of the two calls is an error.
#include "ingle/result.h"

ingle::Status save();
ingle::Result<int> load();

void use() {
#ifdef KEPT
    (void)save();
    (void)load();
#else
    save();
    load();
#endif
}
