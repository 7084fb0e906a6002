#include "app/exchange/exported_pictures.h"

#include <algorithm>

#include "ingle/base64.h"

namespace ingle::exchange {
namespace {

/// An import may have brought any words.
bool isPicture(std::string_view mediaType) {
    return mediaType.starts_with("image/") && std::ranges::all_of(mediaType, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '-' || c == '+';
           });
}

}  // namespace

void ExportedPictures::add(const history::PortableConversation& conversation) {
    for (const history::PortableFile& file : conversation.files)
        if (isPicture(file.mediaType))
            m_addresses[file.id] = fmt::format("data:{};base64,{}", file.mediaType, toBase64(file.content));
}

std::string_view ExportedPictures::address(const history::PortableMessage& message, size_t part) const {
    if (message.message.parts[part].kind != PartKind::Image || part >= message.files.size()) return {};
    const auto found = m_addresses.find(message.files[part]);
    return found == m_addresses.end() ? std::string_view() : found->second;
}

}  // namespace ingle::exchange
