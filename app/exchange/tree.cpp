#include "app/exchange/tree.h"

#include <utility>

namespace ingle::exchange {

using history::Number;
using history::PortableConversation;
using history::PortableMessage;

PortableMessage messageOf(Role role, std::vector<Part> parts, int64_t createdMs) {
    PortableMessage result;
    result.message.role = role;
    result.message.parts = std::move(parts);
    result.message.createdMs = createdMs;
    if (role == Role::Assistant && createdMs > 0) result.message.finishedMs = createdMs;
    return result;
}

void append(PortableConversation& conversation, PortableMessage message) {
    message.message.parent = conversation.activeLeaf;
    message.message.id = static_cast<Number>(conversation.messages.size()) + 1;
    conversation.activeLeaf = message.message.id;
    conversation.messages.push_back(std::move(message));
}

void plant(const std::map<std::string, Node>& nodes, const std::vector<std::string>& order,
           const std::string& current, PortableConversation& conversation, Taker& taker) {
    std::map<std::string, std::vector<std::string>> children;
    std::vector<std::string> roots;
    for (const std::string& name : order) {
        const auto node = nodes.find(name);
        if (node == nodes.end()) continue;
        const bool isRoot = !nodes.contains(node->second.parent);
        (isRoot ? roots : children[node->second.parent]).push_back(name);
    }
    struct Waiting {
        std::string name;
        Number parent;
        bool isOnlyChild;
    };
    std::vector<Waiting> waiting;
    const auto wait = [&](const std::vector<std::string>& names, Number parent) {
        for (auto name = names.rbegin(); name != names.rend(); ++name)
            waiting.push_back({*name, parent, names.size() == 1});
    };
    wait(roots, 0);
    size_t planted = 0;
    while (!waiting.empty()) {
        const Waiting next = std::move(waiting.back());
        waiting.pop_back();
        ++planted;
        Number number = next.parent;
        if (const auto& message = nodes.at(next.name).message) {
            PortableMessage* above =
                next.parent > 0 ? &conversation.messages[static_cast<size_t>(next.parent) - 1] : nullptr;
            const bool goesOn = next.isOnlyChild && above && above->message.role == Role::Assistant &&
                                message->message.role == Role::Assistant;
            if (goesOn) {
                auto& parts = above->message.parts;
                parts.insert(parts.end(), message->message.parts.begin(), message->message.parts.end());
                if (message->message.finishedMs) above->message.finishedMs = message->message.finishedMs;
            } else {
                number = static_cast<Number>(conversation.messages.size()) + 1;
                PortableMessage& added = conversation.messages.emplace_back(*message);
                added.message.id = number;
                added.message.parent = next.parent;
            }
        }
        if (next.name == current) conversation.activeLeaf = number;
        wait(children[next.name], number);
    }
    if (planted < nodes.size()) taker.leftOut(LossKind::LooseMessages, nodes.size() - planted);
    if (conversation.activeLeaf == 0)
        conversation.activeLeaf = static_cast<Number>(conversation.messages.size());
}

}  // namespace ingle::exchange
