/// One row per form in which chats leave. A file in exporters/ defines `extern const Exporter exporter` in
/// the namespace `<name>_exporter`; the table of all is generated from the folder.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/history/portable.h"
#include "ingle/result.h"

namespace ingle::exchange {

using WriteText = std::function<Status(std::string_view text)>;

/// Writes one file, conversation by conversation.
class ExportedFile {
  public:
    virtual ~ExportedFile() = default;
    virtual Status begin(const std::vector<history::PortableFolder>& folders,
                         const std::vector<history::PortableProfile>& profiles) = 0;
    /// All of them come before the first conversation.
    virtual Status addDocument(const history::PortableDocument&) { return {}; }
    virtual Status add(const history::PortableConversation& conversation) = 0;
    virtual Status end() = 0;
};

struct Exporter {
    std::string_view name;       ///< as people call the form, in every language: "Markdown"
    std::string_view extension;  ///< "md"
    std::unique_ptr<ExportedFile> (*make)(WriteText write);
};

std::span<const Exporter* const> allChatExporters();
/// By extension; null: there is none.
const Exporter* findExporter(std::string_view extension);

/// The messages of the branch that is shown, oldest first.
std::vector<const history::PortableMessage*> shownBranch(const history::PortableConversation& conversation);
/// "2025-07-26 12:34" in UTC; empty: not known.
std::string timeText(int64_t milliseconds);

}  // namespace ingle::exchange
