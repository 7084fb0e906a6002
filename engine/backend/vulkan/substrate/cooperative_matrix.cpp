#include "engine/backend/vulkan/substrate/cooperative_matrix.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

namespace ingle::backend::vulkan {
namespace {

// "Binary Form" and "Instructions" of the SPIR-V specification, 1.6; the two extensions.
constexpr size_t kHeaderWords = 5;
constexpr size_t kBoundWord = 3;  // of the header: ids are below it
enum Opcode : uint32_t {
    OpExtension = 10,
    OpCapability = 17,
    OpTypeInt = 21,
    OpTypeFloat = 22,
    OpConstantTrue = 41,
    OpConstant = 43,
    OpTypeCooperativeMatrixKHR = 4456,
    OpCooperativeMatrixLoadKHR = 4457,
    OpCooperativeMatrixStoreKHR = 4458,
    OpCooperativeMatrixMulAddKHR = 4459,
    OpTypeCooperativeMatrixNV = 5358,
    OpCooperativeMatrixLoadNV = 5359,
    OpCooperativeMatrixStoreNV = 5360,
    OpCooperativeMatrixMulAddNV = 5361,
};
constexpr uint32_t kCapabilityNv = 5357;
constexpr uint32_t kCapabilityKhr = 6022;
constexpr std::string_view kExtensionNv = "SPV_NV_cooperative_matrix";
constexpr std::string_view kExtensionKhr = "SPV_KHR_cooperative_matrix";
constexpr uint32_t kSumBits = 32;  // factors are narrower
/// "Cooperative Matrix Use": left factor, right factor, sums. "Cooperative Matrix Layout": row by row, column
/// by column.
constexpr uint32_t kUses = 3;

using Words = std::span<const uint32_t>;

/// Calls `see(opcode, operands)` for each instruction.
template <typename See>
void forEachInstruction(Words words, See see) {
    for (size_t at = kHeaderWords; at < words.size();) {
        const size_t length = std::max<size_t>(words[at] >> 16, 1);
        see(Opcode(words[at] & 0xFFFF), words.subspan(at + 1, std::min(length, words.size() - at) - 1));
        at += length;
    }
}

class Translation {
  public:
    explicit Translation(Words words) : m_firstNew(words[kBoundWord]) {
        forEachInstruction(words, [&](Opcode opcode, Words operands) { note(opcode, operands); });
        m_out.assign(words.begin(), words.begin() + kHeaderWords);
        m_out[kBoundWord] += kUses;
        forEachInstruction(words, [&](Opcode opcode, Words operands) { translate(opcode, operands); });
    }

    std::vector<uint32_t> take() { return std::move(m_out); }

  private:
    void note(Opcode opcode, Words operands) {
        if (opcode == OpTypeFloat) m_floatBits[operands[0]] = operands[1];
        if (opcode == OpConstantTrue) m_true = operands[1];
        if (opcode == OpTypeCooperativeMatrixNV && m_floatBits[operands[1]] == kSumBits)
            m_sumRows = operands[3];
    }

    void put(Opcode opcode, std::initializer_list<Words> parts) {
        const size_t begin = m_out.size();
        m_out.push_back(0);
        for (const Words part : parts) m_out.insert(m_out.end(), part.begin(), part.end());
        m_out[begin] = static_cast<uint32_t>(m_out.size() - begin) << 16 | opcode;
    }

    /// An id whose constant is `value`, below kUses.
    uint32_t idOf(uint32_t value) const { return m_firstNew + value; }

    uint32_t useOf(Words type) {
        if (m_floatBits[type[1]] == kSumBits) return 2;
        return type[3] == m_sumRows ? 0 : 1;
    }

    void translate(Opcode opcode, Words operands) {
        const auto rest = [&](size_t from) { return operands.subspan(std::min(from, operands.size())); };
        switch (opcode) {
            case OpCapability: {
                const uint32_t capability = operands[0] == kCapabilityNv ? kCapabilityKhr : operands[0];
                return put(opcode, {{&capability, 1}});
            }
            case OpExtension: {
                uint32_t name[kExtensionKhr.size() / sizeof(uint32_t) + 1] = {};
                std::memcpy(name, operands.data(), std::min(operands.size_bytes(), sizeof name));
                if (std::memcmp(name, kExtensionNv.data(), kExtensionNv.size()) != 0)
                    return put(opcode, {operands});
                std::memcpy(name, kExtensionKhr.data(), kExtensionKhr.size());
                return put(opcode, {name});
            }
            case OpTypeInt: {
                put(opcode, {operands});
                const bool isUnsigned32 = operands[1] == 32 && operands[2] == 0;
                for (uint32_t value = 0; isUnsigned32 && value < kUses; ++value) {
                    const uint32_t constant[] = {operands[0], idOf(value), value};
                    put(OpConstant, {constant});
                }
                return;
            }
            case OpTypeCooperativeMatrixNV: {
                const uint32_t use = idOf(useOf(operands));
                return put(OpTypeCooperativeMatrixKHR, {operands, {&use, 1}});
            }
            case OpCooperativeMatrixLoadNV: {  // type, result, pointer, stride, column by column, memory
                                               // access
                const uint32_t layout[] = {layoutOf(operands[4]), operands[3]};
                return put(OpCooperativeMatrixLoadKHR, {operands.first(3), layout, rest(5)});
            }
            case OpCooperativeMatrixStoreNV: {  // pointer, object, stride, column by column, memory access
                const uint32_t layout[] = {layoutOf(operands[3]), operands[2]};
                return put(OpCooperativeMatrixStoreKHR, {operands.first(2), layout, rest(4)});
            }
            case OpCooperativeMatrixMulAddNV:
                return put(OpCooperativeMatrixMulAddKHR, {operands});
            default:
                return put(opcode, {operands});
        }
    }

    uint32_t layoutOf(uint32_t byColumns) const { return idOf(byColumns == m_true ? 1 : 0); }

    std::vector<uint32_t> m_out;
    std::map<uint32_t, uint32_t> m_floatBits;  ///< of types, by id
    uint32_t m_firstNew;
    uint32_t m_true = 0;
    uint32_t m_sumRows = 0;
};

}  // namespace

std::vector<uint32_t> withKhrMatrices(Words words) {
    bool hasMatrices = false;
    forEachInstruction(words, [&](Opcode opcode, Words operands) {
        hasMatrices |= opcode == OpCapability && operands[0] == kCapabilityNv;
    });
    if (!hasMatrices) return {words.begin(), words.end()};
    return Translation(words).take();
}

}  // namespace ingle::backend::vulkan
