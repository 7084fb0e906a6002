#include "app/documents/page_answer.h"

#include <charconv>

#include "app/documents/limits.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kPages = "pages ";
constexpr std::string_view kPageError = "error ";
constexpr size_t kPageHeadBytes = 200;

}  // namespace

std::string encodePage(const Result<RecognisedPage>& answer) {
    if (!answer) return fmt::format("{}{}\n", kPageError, answer.error().id);
    return fmt::format("{}{}\n{}", kPages, answer->numPages, answer->text);
}

Result<RecognisedPage> decodePage(std::string_view bytes) {
    const size_t end = bytes.substr(0, kPageHeadBytes).find('\n');
    if (end == bytes.npos) return refuse(Refusal::ReaderFailed);
    std::string_view head = bytes.substr(0, end);
    if (head.starts_with(kPageError)) {
        const auto refusal = refusalOf(head.substr(kPageError.size()));
        return refuse(refusal.value_or(Refusal::ReaderFailed), "PDF");
    }
    if (!head.starts_with(kPages)) return refuse(Refusal::ReaderFailed);
    head.remove_prefix(kPages.size());
    RecognisedPage page;
    const auto [stop, error] = std::from_chars(head.data(), head.data() + head.size(), page.numPages);
    const bool isNumber = error == std::errc() && stop == head.data() + head.size();
    const std::string_view text = bytes.substr(end + 1);
    appendClean(page.text, text);
    if (!isNumber || page.numPages == 0 || page.numPages > limits::kPages || page.text != text)
        return refuse(Refusal::ReaderFailed);
    return page;
}

}  // namespace ingle::documents
