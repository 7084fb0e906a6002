/// One row per program whose chats are understood: a file in importers/ defines `extern const Importer
/// importer` in the namespace `<name>_importer`. The table of all is generated from the folder.
///
/// An importer translates into what our own export holds (docs/export-format.md) and writes nothing: that is
/// one place's work (import_chats.h). What it reads is a stranger's.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/exchange/findings.h"
#include "app/history/portable.h"
#include "ingle/result.h"

namespace ingle::exchange {

/// What somebody dropped or named.
struct Source {
    std::string path;
    bool isFolder = false;
    std::string beginning;  ///< up to kBeginningBytes of a file
    static constexpr size_t kBeginningBytes = 64 * 1024;

    std::string_view name() const;  ///< without the folders it lies in
};

/// Takes what an importer has translated, in this order: folders, profiles, documents, conversations.
class Taker {
  public:
    virtual ~Taker() = default;

    /// Each returns Cancelled where somebody asked to stop: hand that on.
    Status folder(const history::PortableFolder& folder);
    Status profile(const history::PortableProfile& profile);
    Status document(const history::PortableDocument& document);
    /// One without messages counts as left out. Texts need not be well-formed UTF-8, and a title may be
    /// missing.
    Status conversation(history::PortableConversation conversation);
    void leftOut(LossKind kind, uint64_t count = 1);

    const Findings& findings() const { return m_findings; }

  protected:
    virtual Status take(const history::PortableFolder& folder) = 0;
    virtual Status take(const history::PortableProfile& profile) = 0;
    virtual Status take(const history::PortableDocument& document) = 0;
    virtual Status take(history::PortableConversation conversation) = 0;
    virtual bool isCancelled() const = 0;

  private:
    Findings m_findings;
};

struct Importer {
    std::string_view origin;   ///< of its conversations (PortableConversation::origin)
    std::string_view program;  ///< as people call it, in every language
    bool (*recognises)(const Source& source);
    /// Errors: Io; Corrupt, in one sentence, when it is damaged; Cancelled. What was taken until then is
    /// worth nothing.
    Status (*translate)(const Source& source, Taker& taker);
};

std::span<const Importer* const> allImporters();

/// The programs whose chats are understood, in the order of their names: "ChatGPT, GPT4All, …". Our own
/// exports are not among them.
std::string importedPrograms();

}  // namespace ingle::exchange
