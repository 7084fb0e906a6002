#include "app/documents/picture_answer.h"

#include <algorithm>
#include <charconv>

#include "app/documents/limits.h"
#include "app/documents/picture_refusals.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kSize = "size ";
constexpr std::string_view kError = "error ";
constexpr size_t kHeadBytes = 200;
constexpr uint64_t kPixelBytes = 3;

/// A number, which is taken from the beginning of `text`.
std::optional<uint32_t> takeNumber(std::string_view& text) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

Result<Picture> pictureOf(std::string_view size, std::string_view pixels) {
    const auto width = takeNumber(size);
    if (!width || !size.starts_with(' ')) return refuse(PictureRefusal::ReaderFailed);
    size.remove_prefix(1);
    const auto height = takeNumber(size);
    if (!height || !size.empty() || *width == 0 || *height == 0) return refuse(PictureRefusal::ReaderFailed);
    const uint64_t numPixels = uint64_t{*width} * *height;
    if (numPixels > limits::kPicturePixels || pixels.size() != kPixelBytes * numPixels)
        return refuse(PictureRefusal::ReaderFailed);
    return Picture{*width, *height, {pixels.begin(), pixels.end()}};
}

}  // namespace

std::string pictureHead(const Result<Picture>& answer) {
    if (answer) return fmt::format("{}{} {}\n", kSize, answer->width, answer->height);
    return fmt::format("{}{}\n", kError, answer.error().id);
}

Result<Picture> decodePicture(std::string_view bytes) {
    const size_t end = bytes.substr(0, kHeadBytes).find('\n');
    if (end == std::string_view::npos) return refuse(PictureRefusal::ReaderFailed);
    const std::string_view head = bytes.substr(0, end);
    if (head.starts_with(kSize)) return pictureOf(head.substr(kSize.size()), bytes.substr(end + 1));
    if (!head.starts_with(kError)) return refuse(PictureRefusal::ReaderFailed);
    const auto found =
        std::ranges::find(kPictureRefusals, head.substr(kError.size()), &PictureRefusalInfo::id);
    if (found == kPictureRefusals.end()) return refuse(PictureRefusal::ReaderFailed);
    return refuse(static_cast<PictureRefusal>(found - kPictureRefusals.begin()));
}

}  // namespace ingle::documents
