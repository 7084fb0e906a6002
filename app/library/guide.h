/// The guide: a small model that ships with the programs, so that there is something to talk to at once.
#pragma once

#include <string>

namespace ingle::library {

/// The guide's file, an absolute path: share/inglenook/guide.gguf beside the folder of the running program,
/// or what INGLE_GUIDE names (empty: no guide). Empty when there is none.
std::string guidePath();

}  // namespace ingle::library
