#include "app/documents/readers/package.h"

#include <array>
#include <charconv>

#include "app/documents/limits.h"
#include "app/documents/refusals.h"

namespace ingle::documents {
namespace {

class Title final : public MarkupHandler {
  public:
    void begin(std::string_view element, Attributes) override { m_isOpen = element == "dc:title"; }
    void end(std::string_view) override { m_isOpen = false; }
    void text(std::string_view piece) override {
        if (m_isOpen && title.size() < limits::kWordsBytes) title += piece;
    }

    std::string title;

  private:
    bool m_isOpen = false;
};

}  // namespace

Status parsePart(const ZipArchive& archive, const std::string& part, std::span<const Namespace> namespaces,
                 MarkupHandler& handler, std::string_view format) {
    if (!archive.has(part)) return {};
    INGLE_TRY_ASSIGN(const std::string content, archive.read(part));
    if (!parseXml(content, namespaces, handler)) return refuse(Refusal::Damaged, format);
    return {};
}

Result<std::string> titleIn(const ZipArchive& archive, const std::string& part, std::string_view format) {
    constexpr std::array kNamespaces{Namespace{"http://purl.org/dc/elements/1.1/", "dc"}};
    Title handler;
    INGLE_TRY(parsePart(archive, part, kNamespaces, handler, format));
    return std::move(handler.title);
}

uint32_t numberOr(uint32_t fallback, std::string_view text) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : fallback;
}

}  // namespace ingle::documents
