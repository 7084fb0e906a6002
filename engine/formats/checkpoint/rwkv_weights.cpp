#include "engine/formats/checkpoint/rwkv_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/formats/checkpoint/translation.h"
#include "engine/formats/rwkv_names.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

constexpr std::string_view kMixedInputs[] = {"x_r", "x_w", "x_k", "x_v", "x_a", "x_g"};

/// Names behind "blocks.N.att." of matrices that are multiplied from the other side.
constexpr std::string_view kTurned[] = {
    "time_maa_w1", "time_maa_w2", "time_decay_w1", "time_decay_w2", "w1", "w2", "a1", "a2", "v1", "v2",
    "g1",          "g2"};

class RwkvTranslation {
  public:
    explicit RwkvTranslation(const Checkpoint& checkpoint)
        : m_checkpoint(checkpoint), m_translation(Metadata(), "rwkv", ModelFile()) {}

    Result<ModelFile> run() {
        for (const auto& [name, stored] : m_checkpoint.tensors) INGLE_TRY(add(name, stored));
        const StoredTensor& embedding = m_checkpoint.tensors.at("emb.weight");
        if (embedding.dims.size() != 2 || embedding.dims[0] > INT32_MAX || embedding.dims[1] > INT32_MAX)
            return fail(ErrorCode::Corrupt, "tensor 'emb.weight' is no table of tokens");
        uint32_t numLayers = 0;
        while (find(numLayers, "ln1.weight")) ++numLayers;
        for (uint32_t layer = 0; layer < numLayers; ++layer) INGLE_TRY(addMixed(layer));
        INGLE_TRY(setRwkvKeys(m_translation.model, {static_cast<uint32_t>(embedding.dims[0]),
                                                    static_cast<uint32_t>(embedding.dims[1]), numLayers}));
        return std::move(m_translation.model);
    }

  private:
    const StoredTensor* find(uint32_t layer, std::string_view name) const {
        const auto found = m_checkpoint.tensors.find(fmt::format("blocks.{}.{}", layer, name));
        return found == m_checkpoint.tensors.end() ? nullptr : &found->second;
    }
    bool has(std::string_view name) const { return find(0, name) != nullptr; }
    bool is7() const { return has("att.r_k"); }
    bool is6() const { return has("att.time_maa_x"); }
    bool is5() const { return !is6() && !is7() && has("att.ln_x.weight"); }
    /// 5.1 has one number for each head.
    bool hasHeadNumbers() const { return is5() && !has("att.gate.weight"); }

    Status add(const std::string& name, const StoredTensor& stored) {
        constexpr std::string_view kAttention = ".att.";
        const size_t att = name.find(kAttention);
        const std::string_view own = att == std::string::npos
                                         ? std::string_view()
                                         : std::string_view(name).substr(att + kAttention.size());
        if (is7() && std::ranges::find(kMixedInputs, own) != std::end(kMixedInputs)) return {};
        // The first layer has no value before it to mix with; files hold something all the same.
        if (is7() && (name == "blocks.0.att.v0" || name == "blocks.0.att.v1" || name == "blocks.0.att.v2"))
            return {};
        if (std::ranges::find(kTurned, own) != std::end(kTurned)) return addTurned(name, stored);
        if (own == "time_decay" || own == "time_first" || own == "time_faaaa")
            return addTime(name, own, stored);
        StoredTensor small = stored;
        const bool isVector = !own.empty() || name.find(".ffn.") != std::string::npos;
        if (isVector && !(is7() && own == "r_k")) std::erase(small.dims, 1U);
        if (small.dims.empty()) small.dims.push_back(1);
        return m_translation.place(small, rwkvName(name));
    }

    /// Rows become columns, of each of several matrices.
    Status addTurned(const std::string& name, const StoredTensor& stored) {
        INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
        INGLE_TRY_ASSIGN(const auto numbers, m_translation.numbersOf(stored));
        const uint64_t columns = shape.dims[0], rows = shape.dims[1];
        std::vector<float> turned(numbers.size());
        for (uint64_t matrix = 0; matrix < shape.numMatrices(); ++matrix) {
            const uint64_t begin = matrix * rows * columns;
            for (uint64_t row = 0; row < rows; ++row)
                for (uint64_t column = 0; column < columns; ++column)
                    turned[begin + column * rows + row] = numbers[begin + row * columns + column];
        }
        return m_translation.make(rwkvName(name), tensor::Shape::of(rows, columns, shape.numMatrices()),
                                  turned);
    }

    /// Decay and bonus, as the formulas of each version take them.
    Status addTime(const std::string& name, std::string_view own, const StoredTensor& stored) {
        INGLE_TRY_ASSIGN(auto numbers, m_translation.numbersOf(stored));
        const bool isDecay = own == "time_decay";
        for (float& number : numbers) {
            if (!is6() && isDecay) number = is5() ? std::exp(-std::exp(number)) : -std::exp(number);
            if (hasHeadNumbers() && !isDecay) number = std::exp(number);
        }
        if (!is5() && !is6())
            return m_translation.make(rwkvName(name), tensor::Shape::of(numbers.size()), numbers);
        uint64_t headSize = 1;
        if (!hasHeadNumbers()) {
            const StoredTensor* bonus = find(0, "att.time_faaaa");
            if (!bonus || bonus->dims.empty() || bonus->dims.back() == 0 ||
                numbers.size() % bonus->dims.back() != 0)
                return fail(ErrorCode::Corrupt, "tensor '{}' has no whole heads", shown(name));
            headSize = bonus->dims.back();
        }
        return m_translation.make(rwkvName(name), tensor::Shape::of(1, headSize, numbers.size() / headSize),
                                  numbers);
    }

    /// The six shares of RWKV-7 as one tensor.
    Status addMixed(uint32_t layer) {
        if (!is7()) return {};
        std::vector<float> all;
        for (const std::string_view input : kMixedInputs) {
            const StoredTensor* share = find(layer, fmt::format("att.{}", input));
            if (!share) return fail(ErrorCode::Corrupt, "layer {} has no tensor '{}'", layer, input);
            INGLE_TRY_ASSIGN(const auto numbers, m_translation.numbersOf(*share));
            all.insert(all.end(), numbers.begin(), numbers.end());
        }
        constexpr uint64_t kCount = std::size(kMixedInputs);
        return m_translation.make(rwkvName(fmt::format("blocks.{}.att.x_rwkvag", layer)),
                                  tensor::Shape::of(all.size() / kCount, 1, kCount), all);
    }

    const Checkpoint& m_checkpoint;
    Translation m_translation;
};

}  // namespace

bool isRwkv(const Checkpoint& checkpoint) {
    return checkpoint.tensors.contains("emb.weight") && checkpoint.tensors.contains("blocks.0.ln0.weight");
}

Result<ModelFile> translateRwkv(const Checkpoint& checkpoint) {
    return RwkvTranslation(checkpoint).run();
}

}  // namespace ingle::formats
