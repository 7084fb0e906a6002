#include "app/documents/page_answer.h"

#include <charconv>

#include "app/documents/limits.h"
#include "app/documents/picture_kind.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kPages = "pages ";
constexpr std::string_view kPictured = "pictured ";
constexpr std::string_view kPageError = "error ";
constexpr size_t kPageHeadBytes = 200;

bool isPictureFile(std::string_view bytes) {
    const auto kind = pictureKindOf(bytes);
    return kind && *kind != PictureKind::Heif && bytes.size() <= limits::kPictureBytes;
}

}  // namespace

std::string encodePage(const Result<RecognisedPage>& answer) {
    if (!answer) return fmt::format("{}{}\n", kPageError, answer.error().id);
    if (!answer->picture.empty())
        return fmt::format("{}{}\n{}", kPictured, answer->numPages, answer->picture);
    return fmt::format("{}{}\n{}", kPages, answer->numPages, answer->text);
}

Result<RecognisedPage> decodePage(std::string_view bytes, std::string_view format) {
    const size_t end = bytes.substr(0, kPageHeadBytes).find('\n');
    if (end == bytes.npos) return refuse(Refusal::ReaderFailed);
    std::string_view head = bytes.substr(0, end);
    if (head.starts_with(kPageError)) {
        const auto refusal = refusalOf(head.substr(kPageError.size()));
        return refuse(refusal.value_or(Refusal::ReaderFailed), format);
    }
    const bool isPictured = head.starts_with(kPictured);
    if (!isPictured && !head.starts_with(kPages)) return refuse(Refusal::ReaderFailed);
    head.remove_prefix(isPictured ? kPictured.size() : kPages.size());
    RecognisedPage page;
    const auto [stop, error] = std::from_chars(head.data(), head.data() + head.size(), page.numPages);
    const bool isNumber = error == std::errc() && stop == head.data() + head.size();
    if (!isNumber || page.numPages == 0 || page.numPages > limits::kPages)
        return refuse(Refusal::ReaderFailed);
    const std::string_view content = bytes.substr(end + 1);
    if (isPictured) {
        if (!isPictureFile(content)) return refuse(Refusal::ReaderFailed);
        page.picture = content;
        return page;
    }
    appendClean(page.text, content);
    if (page.text != content) return refuse(Refusal::ReaderFailed);
    return page;
}

}  // namespace ingle::documents
