/// Messages that name each other, as most programs keep them, brought into the order of ours: parents first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/exchange/importer.h"

namespace ingle::exchange {

/// A message with what is known of it. Its numbers are given later.
history::PortableMessage messageOf(Role role, std::vector<Part> parts, int64_t createdMs);

struct Node {
    std::string parent;                               ///< empty or of no node: it is a root
    std::optional<history::PortableMessage> message;  ///< none: what stands below it belongs below its parent
};

/// Fills messages and activeLeaf. `order`: of the nodes by name, which is that of siblings; `current`: the
/// last message of the branch that was shown. Answers in a row, as calls of tools make them, become one. What
/// stands in a circle is left out.
void plant(const std::map<std::string, Node>& nodes, const std::vector<std::string>& order,
           const std::string& current, history::PortableConversation& conversation, Taker& taker);

/// Adds a message below the last one.
void append(history::PortableConversation& conversation, history::PortableMessage message);

}  // namespace ingle::exchange
