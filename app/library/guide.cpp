#include "app/library/guide.h"

#include "app/library/shared_file.h"

namespace ingle::library {

std::string guidePath() {
    return sharedFile("guide.gguf", "INGLE_GUIDE");
}

}  // namespace ingle::library
