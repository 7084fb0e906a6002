/// The branches that are shown, to be read and edited.
#include "app/content/block_kind.h"
#include "app/content/block_stream.h"
#include "app/content/exporter.h"
#include "app/exchange/exported_pictures.h"
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
        m_pictures.add(conversation);
        std::string definitions;
        for (const auto* message : shownBranch(conversation)) {
            text += fmt::format("\n## {}\n\n", headingOf(message->message));
            text += write(*message, definitions) + '\n';
        }
        return m_write(text + definitions);
    }
    Status end() override { return {}; }

  private:
    /// Pictures are named in the text, and their bytes stand below all of it.
    std::string write(const history::PortableMessage& message, std::string& definitions) {
        const std::vector<content::Block> blocks = content::blocksOf(message.message.parts);
        std::string text;
        const auto add = [&text](const std::string& more) {
            if (!text.empty() && !more.empty()) text += "\n\n";
            text += more;
        };
        auto first = blocks.cbegin();
        for (auto each = first; each != blocks.cend(); ++each) {
            const std::string_view picture = m_pictures.address(message, each->part);
            if (picture.empty()) continue;
            add(content::findExporter("Markdown")->write({first, each}));
            const std::string name = fmt::format("[picture-{}]", ++m_numPictures);
            definitions += fmt::format("\n{}: {}\n", name, picture);
            std::string mark = each->kind->markdown(*each);
            add(mark.replace(mark.rfind('('), mark.npos, name));
            first = each + 1;
        }
        add(content::findExporter("Markdown")->write({first, blocks.cend()}));
        return text;
    }

    WriteText m_write;
    ExportedPictures m_pictures;
    int m_numPictures = 0;
    bool m_first = true;
};

std::unique_ptr<ExportedFile> make(WriteText write) {
    return std::make_unique<MarkdownFile>(std::move(write));
}

}  // namespace

extern const Exporter exporter{.name = "Markdown", .extension = "md", .make = make};

}  // namespace ingle::exchange::markdown_exporter
