#include "app/documents/answer.h"
#include "app/documents/readers/reader.h"

/// Any outcome but a crash, and a document that keeps its promises.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const bool kPrepared = (ingle::documents::prepareReaders(), true);
    const std::string_view bytes(reinterpret_cast<const char*>(data), kPrepared ? size : 0);
    const auto document = ingle::documents::readBytes({bytes, "document"});
    if (document && !ingle::documents::isSound(*document)) __builtin_trap();
    return 0;
}
