#include "engine/formats/checkpoint/pickle.h"

#include <algorithm>
#include <unordered_map>

#include "ingle/error_ids.h"

namespace ingle::formats {

using NodeKind = PickleNode::Kind;

namespace {

/// More objects than any model's dictionary has; a damaged file takes no more memory.
constexpr size_t kMaxNodes = size_t{1} << 22;
constexpr size_t kMaxTextBytes = size_t{1} << 16;

/// Opcodes that run code, or name objects that others made: for sentences.
struct OpcodeName {
    uint8_t code;
    std::string_view name;
};
constexpr OpcodeName kRefused[] = {{'i', "INST"},
                                   {'o', "OBJ"},
                                   {0x81, "NEWOBJ"},
                                   {0x92, "NEWOBJ_EX"},
                                   {0x82, "EXT1"},
                                   {0x83, "EXT2"},
                                   {0x84, "EXT4"},
                                   {'P', "PERSID"},
                                   {0x93, "STACK_GLOBAL"},
                                   {0x97, "NEXT_BUFFER"},
                                   {0x98, "READONLY_BUFFER"},
                                   {'0', "POP"},
                                   {'1', "POP_MARK"},
                                   {'2', "DUP"}};

constexpr std::string_view kDictionary = "collections OrderedDict";
constexpr std::string_view kTensor = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils _rebuild_parameter";

bool isKnown(std::string_view global) {
    return global == kDictionary || global == kTensor || global == kParameter ||
           (global.starts_with("torch ") && global.ends_with("Storage"));
}

}  // namespace

/// The machine that a pickle is a program of: a stack of objects, marks in it, and a memo.
class PickleReader {
  public:
    explicit PickleReader(io::ByteReader& in) : m_in(in) {}

    Result<Pickle> run() {
        while (true) {
            INGLE_TRY_ASSIGN(const auto opcode, m_in.read<uint8_t>());
            if (opcode == '.') break;
            INGLE_TRY(step(opcode));
        }
        INGLE_TRY_ASSIGN(m_pickle.m_root, pop());
        return std::move(m_pickle);
    }

  private:
    Status step(uint8_t opcode) {
        switch (opcode) {
            case 0x80:
                return skip(1);  // PROTO
            case 0x95:
                return skip(8);  // FRAME
            case '(':
                m_marks.push_back(m_stack.size());
                return {};
            case ')':
                return push({.kind = NodeKind::List});
            case ']':
                return push({.kind = NodeKind::List});
            case '}':
                return push({.kind = NodeKind::Dictionary});
            case 0x85:
                return tuple(1);
            case 0x86:
                return tuple(2);
            case 0x87:
                return tuple(3);
            case 't':
                return tupleToMark();
            case 'l':
                return tupleToMark();
            case 'N':
                return push({});
            case 0x88:
                return push({.kind = NodeKind::Bool, .integer = 1});
            case 0x89:
                return push({.kind = NodeKind::Bool});
            case 'K':
                return integer<uint8_t>();
            case 'M':
                return integer<uint16_t>();
            case 'J':
                return integer<int32_t>();
            case 0x8A:
                return longInteger();
            case 'G':
                return real();
            case 'X':
                return text<uint32_t>();
            case 0x8C:
                return text<uint8_t>();
            case 'U':
                return text<uint8_t>();
            case 'q':
                return put<uint8_t>();
            case 'r':
                return put<uint32_t>();
            case 0x94:
                return memoize();
            case 'h':
                return get<uint8_t>();
            case 'j':
                return get<uint32_t>();
            case 'a':
                return append();
            case 'e':
                return appendToMark(NodeKind::List);
            case 's':
                return setItem();
            case 'u':
                return appendToMark(NodeKind::Dictionary);
            case 'd':
                return dictionaryToMark();
            case 'c':
                return global();
            case 'Q':
                return storage();
            case 'R':
                return call();
            case 'b':
                return build();
            default:
                return refuse(opcode);
        }
    }

    tl::unexpected<Error> refuse(uint8_t opcode) const {
        const auto* found = std::ranges::find(kRefused, opcode, &OpcodeName::code);
        if (found != std::end(kRefused))
            return program("it asks for the pickle opcode {}, which no tensor needs", found->name);
        return fail(ErrorCode::Unsupported, "it asks for the pickle opcode {:#04x}, which no tensor needs",
                    opcode);
    }
    template <typename... Args>
    static tl::unexpected<Error> program(fmt::format_string<Args...> what, Args&&... args) {
        return withId<ErrorId::HoldsProgram>(fail(ErrorCode::Unsupported, what, std::forward<Args>(args)...));
    }
    tl::unexpected<Error> wrong(std::string_view what) const {
        return fail(ErrorCode::Corrupt, "{} before byte {}", what, m_in.offset());
    }

    Status skip(uint64_t bytes) {
        INGLE_TRY(m_in.take(bytes));
        return {};
    }
    Status push(PickleNode node) {
        if (m_pickle.m_nodes.size() == kMaxNodes) return wrong("too many objects");
        m_stack.push_back(static_cast<uint32_t>(m_pickle.m_nodes.size()));
        m_pickle.m_nodes.push_back(std::move(node));
        return {};
    }
    /// Objects below the last mark are not to be had before that is gone.
    size_t bottom() const { return m_marks.empty() ? 0 : m_marks.back(); }
    Result<uint32_t> pop() {
        if (m_stack.size() <= bottom()) return wrong("an object is missing");
        const uint32_t top = m_stack.back();
        m_stack.pop_back();
        return top;
    }
    PickleNode& node(uint32_t number) { return m_pickle.m_nodes[number]; }

    /// The objects above the last mark, which goes.
    Result<std::vector<uint32_t>> popToMark() {
        if (m_marks.empty()) return wrong("a mark is missing");
        std::vector<uint32_t> items(m_stack.begin() + static_cast<ptrdiff_t>(m_marks.back()), m_stack.end());
        m_stack.resize(m_marks.back());
        m_marks.pop_back();
        return items;
    }
    Status tuple(size_t count) {
        if (m_stack.size() < bottom() + count) return wrong("an object is missing");
        std::vector<uint32_t> items(m_stack.end() - static_cast<ptrdiff_t>(count), m_stack.end());
        m_stack.resize(m_stack.size() - count);
        return push({.kind = NodeKind::List, .items = std::move(items)});
    }
    Status tupleToMark() {
        INGLE_TRY_ASSIGN(auto items, popToMark());
        return push({.kind = NodeKind::List, .items = std::move(items)});
    }
    Status dictionaryToMark() {
        INGLE_TRY_ASSIGN(auto items, popToMark());
        if (items.size() % 2 != 0) return wrong("a key has no value");
        return push({.kind = NodeKind::Dictionary, .items = std::move(items)});
    }

    template <typename T>
    Status integer() {
        INGLE_TRY_ASSIGN(const auto value, m_in.read<T>());
        return push({.kind = NodeKind::Integer, .integer = value});
    }
    /// Of any length; numbers of more than eight bytes mean nothing here.
    Status longInteger() {
        INGLE_TRY_ASSIGN(const auto count, m_in.read<uint8_t>());
        INGLE_TRY_ASSIGN(const auto bytes, m_in.take(count));
        uint64_t value = 0;
        for (size_t i = 0; i < std::min<size_t>(count, 8); ++i)
            value |= std::to_integer<uint64_t>(bytes[i]) << 8 * i;
        const bool isNegative = count > 0 && count < 8 && std::to_integer<int>(bytes[count - 1]) >= 0x80;
        if (isNegative) value |= ~uint64_t{0} << 8 * count;
        return push({.kind = NodeKind::Integer, .integer = static_cast<int64_t>(value)});
    }
    Status real() {
        INGLE_TRY(m_in.take(8));
        return push({.kind = NodeKind::Float});
    }
    template <typename Length>
    Status text() {
        INGLE_TRY_ASSIGN(const auto length, m_in.read<Length>());
        if (length > kMaxTextBytes) return wrong("a text is too long");
        INGLE_TRY_ASSIGN(const auto text, m_in.text(length));
        return push({.kind = NodeKind::Text, .text = text});
    }

    Result<uint32_t> top() const {
        if (m_stack.size() <= bottom()) return wrong("an object is missing");
        return m_stack.back();
    }
    template <typename Index>
    Status put() {
        INGLE_TRY_ASSIGN(const auto index, m_in.read<Index>());
        INGLE_TRY_ASSIGN(m_memo[index], top());
        return {};
    }
    Status memoize() {
        const auto index = static_cast<uint32_t>(m_memo.size());
        INGLE_TRY_ASSIGN(m_memo[index], top());
        return {};
    }
    template <typename Index>
    Status get() {
        INGLE_TRY_ASSIGN(const auto index, m_in.read<Index>());
        const auto found = m_memo.find(index);
        if (found == m_memo.end()) return wrong("an object that was never kept is asked for");
        m_stack.push_back(found->second);
        return {};
    }

    Status addTo(uint32_t target, NodeKind kind, const std::vector<uint32_t>& items) {
        PickleNode& to = node(target);
        if (to.kind != kind || (kind == NodeKind::Dictionary && items.size() % 2 != 0))
            return wrong("something is put where it cannot be");
        // The memo gives objects away any number of times.
        m_numItems += items.size();
        if (m_numItems > kMaxNodes) return wrong("too many objects");
        to.items.insert(to.items.end(), items.begin(), items.end());
        return {};
    }
    Status append() {
        INGLE_TRY_ASSIGN(const uint32_t item, pop());
        INGLE_TRY_ASSIGN(const uint32_t list, top());
        return addTo(list, NodeKind::List, {item});
    }
    Status appendToMark(NodeKind kind) {
        INGLE_TRY_ASSIGN(const auto items, popToMark());
        INGLE_TRY_ASSIGN(const uint32_t target, top());
        return addTo(target, kind, items);
    }
    Status setItem() {
        INGLE_TRY_ASSIGN(const uint32_t value, pop());
        INGLE_TRY_ASSIGN(const uint32_t key, pop());
        INGLE_TRY_ASSIGN(const uint32_t target, top());
        return addTo(target, NodeKind::Dictionary, {key, value});
    }

    Result<std::string_view> line() {
        const uint64_t room = std::min<uint64_t>(m_in.remaining(), kMaxTextBytes);
        io::ByteReader ahead = m_in;
        INGLE_TRY_ASSIGN(const auto rest, ahead.text(room));
        const size_t end = rest.find('\n');
        if (end == std::string_view::npos) return wrong("a name does not end");
        INGLE_TRY(m_in.take(end + 1));
        return rest.substr(0, end);
    }
    Status global() {
        INGLE_TRY_ASSIGN(const auto module, line());
        INGLE_TRY_ASSIGN(const auto name, line());
        const std::string called = fmt::format("{} {}", module, name);
        if (!isKnown(called)) return program("it asks to run \"{}\", which no tensor needs", shown(called));
        // Both lines lie side by side: the name of the call, with a line's end in place of a space.
        const std::string_view text(module.data(),
                                    static_cast<size_t>(name.data() + name.size() - module.data()));
        return push({.kind = NodeKind::Global, .text = text});
    }
    bool isGlobal(uint32_t number, std::string_view name) {
        const PickleNode& of = node(number);
        if (of.kind != NodeKind::Global || of.text.size() != name.size()) return false;
        return std::equal(of.text.begin(), of.text.end(), name.begin(),
                          [](char held, char wanted) { return held == (wanted == ' ' ? '\n' : wanted); });
    }

    /// ("storage", type, key, device, numbers …)
    Status storage() {
        INGLE_TRY_ASSIGN(const uint32_t id, pop());
        const std::vector<uint32_t> parts = node(id).items;
        const bool isOne = node(id).kind == NodeKind::List && parts.size() >= 5 &&
                           node(parts[0]).text == "storage" && node(parts[1]).kind == NodeKind::Global &&
                           node(parts[2]).kind == NodeKind::Text && node(parts[4]).kind == NodeKind::Integer;
        // Parts of storages are of an older form still.
        const bool isPart = parts.size() > 5 && node(parts[5]).kind != NodeKind::None;
        if (!isOne || isPart) return wrong("a storage is not described as one");
        return push({.kind = NodeKind::Storage,
                     .integer = node(parts[4]).integer,
                     .text = node(parts[2]).text,
                     .items = {parts[1]}});
    }

    Status call() {
        INGLE_TRY_ASSIGN(const uint32_t arguments, pop());
        INGLE_TRY_ASSIGN(const uint32_t called, pop());
        const std::vector<uint32_t> given = node(arguments).items;
        if (node(arguments).kind != NodeKind::List) return wrong("a call without arguments");
        if (isGlobal(called, kDictionary) && given.empty()) return push({.kind = NodeKind::Dictionary});
        if (isGlobal(called, kParameter) && !given.empty() && node(given[0]).kind == NodeKind::Tensor) {
            m_stack.push_back(given[0]);
            return {};
        }
        const bool isTensor = isGlobal(called, kTensor) && given.size() >= 4 &&
                              node(given[0]).kind == NodeKind::Storage &&
                              node(given[1]).kind == NodeKind::Integer &&
                              node(given[2]).kind == NodeKind::List && node(given[3]).kind == NodeKind::List;
        if (!isTensor) return program("it asks for a call that makes no tensor");
        return push({.kind = NodeKind::Tensor, .items = {given.begin(), given.begin() + 4}});
    }

    /// Attributes of a dictionary: nobody needs them.
    Status build() {
        INGLE_TRY(pop());
        INGLE_TRY_ASSIGN(const uint32_t target, top());
        if (node(target).kind != NodeKind::Dictionary && node(target).kind != NodeKind::Tensor)
            return program("it asks for the pickle opcode BUILD, which no tensor needs");
        return {};
    }

    io::ByteReader& m_in;
    Pickle m_pickle;
    std::vector<uint32_t> m_stack;
    std::vector<size_t> m_marks;
    std::unordered_map<uint32_t, uint32_t> m_memo;
    size_t m_numItems = 0;
};

Result<Pickle> Pickle::read(io::ByteReader& in) {
    return PickleReader(in).run();
}

}  // namespace ingle::formats
