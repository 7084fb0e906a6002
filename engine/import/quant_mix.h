/// What each tensor of a model becomes when the model is quantised.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "engine/formats/model_file.h"

namespace ingle::importer {

/// Matrices that some mixes give another format than the rest.
enum class Part : uint8_t {
    Value,      ///< attn_v, time_mix_value
    Down,       ///< ffn_down, also of experts, channel_mix_value
    Attention,  ///< attn_output, time_mix_output
    Experts,    ///< all matrices of experts
    Embedding,  ///< token_embd, unless it serves as output
};
enum class Layers : uint8_t { All, FirstSixteenth, FirstEighth, EighthsAndThirds };

/// Of the matrices of a part, those in some layers have a format of their own.
struct MixRule {
    Part part;
    Layers layers;
    std::string_view format;  ///< empty: the rule is none
};

/// A mix is named after the format of most matrices. The output matrix (or the embedding where it serves as
/// output) has its own; of the rules the first that fits counts. "Q3_K", "Q4_K" and "Q5_K" mean the M mixes.
///
/// Source: llama.cpp's llama-quant.cpp of August 2026. Other than there the S mixes take their first layers
/// by eighths for attn_v, too (there: four), Q3_K_M a sixteenth (there: two); attn_v is given more also where
/// fewer than four heads share it (Q2_K, IQ4_NL, IQ4_XS); and models of eight experts, of 70B parameters or
/// with fused attn_qkv have no rules of their own.
struct QuantMix {
    std::string_view name;
    uint32_t fileType;  ///< general.file_type
    std::string_view matrices;
    std::string_view output;
    std::array<MixRule, 5> rules{};
};

/// Errors: InvalidArgument, listing the mixes there are.
Result<const QuantMix*> findMix(std::string_view name);
/// "F32, F16, …"
std::string mixNames();

/// Returns whether a tensor may be quantised. Vectors may not, nor may small and sensitive matrices such as
/// routers, embeddings of positions, and RWKV's mixing factors and low-rank projections.
bool isQuantizable(std::string_view name, const tensor::Shape& shape);

/// What somebody wants for tensors by their names.
struct TensorType {
    std::string pattern;  ///< a regular expression that some part of the name matches
    std::string format;
};

/// What becomes of every tensor.
class TensorFormats {
  public:
    /// mix: null, every matrix stays as it is stored. Errors: InvalidArgument (a pattern that is none, a
    /// format that is unknown or cannot be written).
    static Result<TensorFormats> create(const QuantMix* mix, std::span<const TensorType> wanted);

    struct Choice {
        const quant::QuantFormat* format;
        /// The format that was wanted, where rows are not whole blocks of it; else null.
        const quant::QuantFormat* insteadOf = nullptr;
    };
    /// A row that is not whole blocks makes it Q8_0, else F16. Vectors and other tensors that may not be
    /// quantised become F32, with a mix or without. What somebody wants by name goes before all of that but
    /// whole blocks, for matrices.
    Choice of(const formats::ModelFile& model, const tensor::Tensor& tensor) const;
    /// Errors: InvalidArgument when what is wanted by name is the name of no tensor.
    Status checkNames(const formats::ModelFile& model) const;

  private:
    struct Wanted;
    TensorFormats() = default;

    const QuantMix* m_mix = nullptr;
    std::vector<std::shared_ptr<const Wanted>> m_wanted;
};

/// The bytes of all tensors of the model when it is written as the mix of that name.
uint64_t bytesAs(std::string_view mix, const formats::ModelFile& model);

}  // namespace ingle::importer
