/// Pictures of messages in files for people: their bytes are in the file itself, as addresses ("data:").
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/history/portable.h"

namespace ingle::exchange {

class ExportedPictures {
  public:
    /// Conversations bring a file once, so those of all before are kept.
    void add(const history::PortableConversation& conversation);
    /// Of a part of a message; empty: it is no picture, or there are no bytes of it.
    std::string_view address(const history::PortableMessage& message, size_t part) const;

  private:
    std::map<history::Number, std::string> m_addresses;
};

}  // namespace ingle::exchange
