/// The branches that are shown, to be read and edited.
#include "app/content/block_kind.h"
#include "app/content/block_stream.h"
#include "app/content/exporter.h"
#include "app/exchange/exporter.h"
#include "app/exchange/speaker.h"

namespace ingle::exchange::markdown_exporter {
namespace {

class MarkdownFile : public ExportedFile {
  public:
    explicit MarkdownFile(WriteText write) : m_write(std::move(write)) {}

    Status begin(const std::vector<history::PortableFolder>&,
                 const std::vector<history::PortableProfile>&) override {
        return {};
    }
    Status add(const history::PortableConversation& conversation) override {
        std::string text = fmt::format("{}# {}\n", m_first ? "" : "\n", titleOf(conversation));
        m_first = false;
        for (const auto* message : shownBranch(conversation)) {
            text += fmt::format("\n## {}\n\n", headingOf(message->message));
            (text += content::findExporter("Markdown")->write(content::blocksOf(message->message.parts))) +=
                '\n';
        }
        return m_write(text);
    }
    Status end() override { return {}; }

  private:
    WriteText m_write;
    bool m_first = true;
};

std::unique_ptr<ExportedFile> make(WriteText write) {
    return std::make_unique<MarkdownFile>(std::move(write));
}

}  // namespace

extern const Exporter exporter{.name = "Markdown", .extension = "md", .make = make};

}  // namespace ingle::exchange::markdown_exporter
