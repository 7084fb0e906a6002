/// forEachZipped() of the window, which opens no archive of strangers.
#include "app/exchange/foreign_file.h"

namespace ingle::exchange {

Status forEachZipped(const std::string& path, std::string_view, std::string_view,
                     const std::function<Status(const std::string& content)>&) {
    return fail(
        ErrorCode::Unsupported,
        "{} has to be unpacked first: drop the folder that comes of it, or the conversations.json in it.",
        nameOf(path));
}

}  // namespace ingle::exchange
