/// Follows a grammar byte by byte. The set of stacks that are possible after some text is a state; states are
/// kept, and what a byte leads to is computed once, so that a copy of a place is one number.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

/// Limits on what one answer may need: alternatives at one place, calls inside calls, and states that are
/// held at once (a kilobyte each).
inline constexpr size_t kMostStacks = 4096, kMostDepth = 4096, kMostStates = 1 << 15;
/// And the stacks that are looked at between two tokens: what computes for a second is refused.
inline constexpr size_t kMostWork = size_t{4} << 20;

/// One thread.
class Matcher {
  public:
    using State = uint32_t;
    static constexpr State kDead = 0;  ///< nothing can follow, and nothing was right

    explicit Matcher(Grammar grammar);

    State state() const { return m_state; }
    bool accepts(std::string_view bytes) { return after(m_state, bytes) != kDead; }
    /// False, and nothing changed, when they are not accepted.
    bool advance(std::string_view bytes);
    /// True when the text so far is whole.
    bool canEnd() const { return m_states[m_state].canEnd; }
    /// True when it is, and nothing may follow.
    bool mustEnd() const { return canEnd() && m_states[m_state].stacks.empty(); }
    /// True once a limit was exceeded, or nobody wanted to know any more (StopScope): what was refused since
    /// may have been right.
    bool exceeded() const { return m_exceeded; }

    /// Where a byte leads from a state. Any state it gave stays valid until forget().
    State next(State from, uint8_t byte);
    State after(State from, std::string_view bytes);
    /// Lets go of all states but the present one, which gets a new number, when there are many.
    bool forgetIfMany();

  private:
    /// A node that takes a byte, and what is to be done behind its rule.
    struct Stack {
        uint32_t node, frame;
        auto operator<=>(const Stack&) const = default;
    };
    /// Frame 0 is the end of the whole text.
    struct Frame {
        uint32_t node, below, depth;
    };
    struct StateData {
        std::vector<Stack> stacks;  ///< ascending
        bool canEnd = false;
        std::array<State, 256> next;
    };

    void pay(size_t work);
    uint32_t push(uint32_t node, uint32_t below);
    /// The state of `open` once all that takes no byte was done.
    State close(std::vector<Stack> open);
    State intern(std::vector<Stack> stacks, bool canEnd);

    Grammar m_grammar;
    std::vector<Frame> m_frames;
    std::unordered_map<uint64_t, uint32_t> m_frameIds;
    std::vector<StateData> m_states;
    std::unordered_multimap<uint64_t, State> m_stateIds;
    State m_state = kDead;
    bool m_exceeded = false;
    size_t m_work = 0;  ///< since the last advance()
};

}  // namespace ingle::grammar
