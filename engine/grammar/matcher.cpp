#include "engine/grammar/matcher.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ingle/stop_scope.h"

namespace ingle::grammar {
namespace {

constexpr Matcher::State kUnknown = UINT32_MAX;
/// More are only kept while one step looks at them.
constexpr size_t kManyStates = 4096, kManyFrames = 1 << 16, kMostFrames = 1 << 20;

}  // namespace

Matcher::Matcher(Grammar grammar) : m_grammar(std::move(grammar)) {
    m_frames.push_back({Grammar::kReturn, 0, 0});
    m_states.emplace_back().next.fill(kDead);
    m_state = close({{m_grammar.entries[m_grammar.root], 0}});
}

uint32_t Matcher::push(uint32_t node, uint32_t below) {
    if (node == Grammar::kReturn) return below;  // nothing is left to do there
    const uint64_t key = uint64_t{node} << 32 | below;
    if (const auto found = m_frameIds.find(key); found != m_frameIds.end()) return found->second;
    const uint32_t depth = m_frames[below].depth + 1;
    if (depth > kMostDepth || m_frames.size() >= kMostFrames) {
        m_exceeded = true;
        return below;
    }
    m_frames.push_back({node, below, depth});
    return m_frameIds[key] = static_cast<uint32_t>(m_frames.size() - 1);
}

void Matcher::pay(size_t work) {
    constexpr size_t kLookEvery = 1 << 14;
    const size_t before = std::exchange(m_work, m_work + work);
    if (m_work > kMostWork) m_exceeded = true;
    if (before / kLookEvery != m_work / kLookEvery && StopScope::isStopWanted()) m_exceeded = true;
}

Matcher::State Matcher::close(std::vector<Stack> open) {
    std::set<Stack> seen;
    std::vector<Stack> stacks;
    bool canEnd = false;
    while (!open.empty()) {
        const Stack top = open.back();
        open.pop_back();
        if (!seen.insert(top).second) continue;
        pay(1);
        // An alternative is two nodes, and a call two more.
        if (seen.size() > 4 * kMostStacks) m_exceeded = true;
        const Node& node = m_grammar.nodes[top.node];
        switch (node.kind) {
            case Node::Kind::Return:
                if (top.frame == 0)
                    canEnd = true;
                else
                    open.push_back({m_frames[top.frame].node, m_frames[top.frame].below});
                break;
            case Node::Kind::Fail:
                break;
            case Node::Kind::Byte:
                stacks.push_back(top);
                break;
            case Node::Kind::Split:
                open.push_back({node.a, top.frame});
                open.push_back({node.b, top.frame});
                break;
            case Node::Kind::Call:
                open.push_back({m_grammar.entries[node.a], push(node.b, top.frame)});
                break;
        }
        if (m_exceeded || stacks.size() > kMostStacks) {
            m_exceeded = true;
            return kDead;
        }
    }
    if (stacks.empty() && !canEnd) return kDead;
    std::ranges::sort(stacks);
    return intern(std::move(stacks), canEnd);
}

Matcher::State Matcher::intern(std::vector<Stack> stacks, bool canEnd) {
    uint64_t hash = canEnd;
    for (const Stack& stack : stacks)
        hash = (hash ^ (uint64_t{stack.node} << 32 | stack.frame)) * 0x9E3779B97F4A7C15u;
    const auto [begin, end] = m_stateIds.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
        const StateData& state = m_states[known->second];
        if (state.canEnd == canEnd && state.stacks == stacks) return known->second;
    }
    if (m_states.size() >= kMostStates) {
        m_exceeded = true;
        return kDead;
    }
    StateData& state = m_states.emplace_back();
    state.stacks = std::move(stacks);
    state.canEnd = canEnd;
    state.next.fill(kUnknown);
    const auto id = static_cast<State>(m_states.size() - 1);
    m_stateIds.emplace(hash, id);
    return id;
}

Matcher::State Matcher::next(State from, uint8_t byte) {
    if (const State known = m_states[from].next[byte]; known != kUnknown) return known;
    if (m_exceeded) return kDead;
    pay(m_states[from].stacks.size());
    std::vector<Stack> open;
    for (const Stack& stack : m_states[from].stacks) {
        const Node& node = m_grammar.nodes[stack.node];
        if (node.low <= byte && byte <= node.high) open.push_back({node.a, stack.frame});
    }
    const State to = open.empty() ? kDead : close(std::move(open));
    return m_states[from].next[byte] = to;
}

Matcher::State Matcher::after(State from, std::string_view bytes) {
    for (const char byte : bytes) {
        if (from == kDead) break;
        from = next(from, static_cast<uint8_t>(byte));
    }
    return from;
}

bool Matcher::advance(std::string_view bytes) {
    const State to = after(m_state, bytes);
    if (to == kDead) return false;
    m_state = to;
    m_work = 0;
    return true;
}

bool Matcher::forgetIfMany() {
    if (m_states.size() < kManyStates && m_frames.size() < kManyFrames) return false;
    const StateData present = std::move(m_states[m_state]);
    const std::vector<Frame> frames = std::move(m_frames);
    m_states.resize(1);
    m_stateIds.clear();
    m_frameIds.clear();
    m_frames = {{Grammar::kReturn, 0, 0}};
    // A frame has a higher number than what is below it.
    std::vector<Stack> stacks = present.stacks;
    for (Stack& stack : stacks) {
        std::vector<uint32_t> chain;
        for (uint32_t frame = stack.frame; frame != 0; frame = frames[frame].below)
            chain.push_back(frames[frame].node);
        stack.frame = 0;
        while (!chain.empty()) {
            stack.frame = push(chain.back(), stack.frame);
            chain.pop_back();
        }
    }
    std::ranges::sort(stacks);
    m_state = intern(std::move(stacks), present.canEnd);
    return true;
}

}  // namespace ingle::grammar
