#include <algorithm>

#include "app/exchange/importer.h"
#include "app/exchange/text.h"

namespace ingle::exchange {
namespace {

const Error kCancelled{ErrorCode::Cancelled, "The import was cancelled."};

constexpr size_t kTitleBytes = 100;

/// The first line of what was asked first.
std::string titleOf(const history::PortableConversation& conversation) {
    for (const history::PortableMessage& message : conversation.messages) {
        if (message.message.role != Role::User) continue;
        std::string text = textOf(message.message.parts, PartKind::Text);
        text.erase(0, text.find_first_not_of(" \t\r\n"));
        return firstBytes(text.substr(0, text.find_first_of("\r\n")), kTitleBytes);
    }
    return {};
}

void makeWellFormed(history::PortableConversation& conversation) {
    for (std::string* text : {&conversation.title, &conversation.draft, &conversation.modelId})
        *text = wellFormed(std::move(*text));
    for (history::PortableMessage& portable : conversation.messages) {
        history::Message& message = portable.message;
        for (std::string* text : {&message.modelId, &message.modelName}) *text = wellFormed(std::move(*text));
        if (message.error) message.error->message = wellFormed(std::move(message.error->message));
        for (Part& part : message.parts) {
            part.text = wellFormed(std::move(part.text));
            part.data = wellFormed(std::move(part.data));
        }
    }
}

}  // namespace

std::string lossText(LossKind kind, uint64_t count) {
    const LossInfo& info = lossInfo(kind);
    return count == 1 ? std::string(info.one) : fmt::format(fmt::runtime(info.many), count);
}

std::string_view Source::name() const {
    std::string_view name = path;
    while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
    return name.substr(name.find_last_of('/') + 1);
}

Status Taker::folder(const history::PortableFolder& folder) {
    if (isCancelled()) return tl::unexpected<Error>(kCancelled);
    history::PortableFolder named = folder;
    named.name = wellFormed(std::move(named.name));
    ++m_findings.folders;
    return take(named);
}

Status Taker::profile(const history::PortableProfile& profile) {
    if (isCancelled()) return tl::unexpected<Error>(kCancelled);
    return take(profile);
}

Status Taker::document(const history::PortableDocument& document) {
    if (isCancelled()) return tl::unexpected<Error>(kCancelled);
    ++m_findings.documents;
    return take(document);
}

Status Taker::conversation(history::PortableConversation conversation) {
    if (isCancelled()) return tl::unexpected<Error>(kCancelled);
    const bool isOurs = conversation.origin.empty();
    if (conversation.messages.empty() && conversation.draft.empty() && !isOurs) {
        leftOut(LossKind::EmptyConversations);
        return {};
    }
    makeWellFormed(conversation);
    if (conversation.title.empty() && !isOurs) conversation.title = titleOf(conversation);
    if (conversation.updatedMs == 0) conversation.updatedMs = conversation.createdMs;
    ++m_findings.conversations;
    m_findings.messages += conversation.messages.size();
    if (conversation.createdMs > 0) {
        if (m_findings.firstMs == 0 || conversation.createdMs < m_findings.firstMs)
            m_findings.firstMs = conversation.createdMs;
        m_findings.lastMs = std::max({m_findings.lastMs, conversation.createdMs, conversation.updatedMs});
    }
    return take(std::move(conversation));
}

void Taker::leftOut(LossKind kind, uint64_t count) {
    if (count > 0) m_findings.leftOut[kind] += count;
}

}  // namespace ingle::exchange
