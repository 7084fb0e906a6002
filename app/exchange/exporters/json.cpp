/// All that the history holds (docs/export-format.md): a line for each conversation.
#include <utility>

#include "app/exchange/conversation_json.h"
#include "app/exchange/exporter.h"

namespace ingle::exchange::json_exporter {
namespace {

class JsonFile : public ExportedFile {
  public:
    explicit JsonFile(WriteText write) : m_write(std::move(write)) {}

    Status begin(const std::vector<history::PortableFolder>& folders,
                 const std::vector<history::PortableProfile>& profiles) override {
        nlohmann::ordered_json head = nlohmann::ordered_json::array();
        INGLE_TRY(m_write(
            fmt::format("{{\"format\":\"{}\",\"version\":{},\n\"folders\":", kFormatName, kFormatVersion)));
        for (const auto& folder : folders) head.push_back(jsonOf(folder));
        INGLE_TRY(m_write(lineOf(head) + ",\n\"profiles\":"));
        head = nlohmann::ordered_json::array();
        for (const auto& profile : profiles) head.push_back(jsonOf(profile));
        return m_write(lineOf(head));
    }
    Status addDocument(const history::PortableDocument& document) override {
        INGLE_TRY(m_write(std::exchange(m_firstDocument, false) ? ",\n\"documents\":[\n" : ",\n"));
        return m_write(lineOf(jsonOf(document)));
    }
    Status add(const history::PortableConversation& conversation) override {
        INGLE_TRY(beginConversations());
        INGLE_TRY(m_write(std::exchange(m_first, false) ? "\n" : ",\n"));
        return m_write(lineOf(jsonOf(conversation)));
    }
    Status end() override {
        INGLE_TRY(beginConversations());
        return m_write("\n]}\n");
    }

  private:
    Status beginConversations() {
        if (std::exchange(m_inConversations, true)) return {};
        return m_write(m_firstDocument ? ",\n\"conversations\":[" : "\n],\n\"conversations\":[");
    }

    WriteText m_write;
    bool m_firstDocument = true;
    bool m_inConversations = false;
    bool m_first = true;
};

std::unique_ptr<ExportedFile> make(WriteText write) {
    return std::make_unique<JsonFile>(std::move(write));
}

}  // namespace

extern const Exporter exporter{.name = "JSON", .extension = "json", .make = make};

}  // namespace ingle::exchange::json_exporter
