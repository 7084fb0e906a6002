/// What each tensor of a model becomes when the model is quantised.
#pragma once

#include <string_view>

#include "engine/formats/model_file.h"

namespace ingle::importer {

/// A mix is named after its main format and gives some matrices a better one: the output (or the embedding
/// where it serves as output), and in some layers the value and down projections (attn_v, ffn_down also of
/// experts, time_mix_value, channel_mix_value).
///
/// | mix              | matrices    | value and down                                              | output |
/// |------------------|-------------|-------------------------------------------------------------|--------|
/// | F32 … Q8_0, Q6_K | that format |                                                             |        |
/// | Q4_0             | Q4_0        |                                                             | Q6_K   |
/// | Q4_K_S           | Q4_K        | Q5_K in the first eighth of the layers                      | Q6_K   |
/// | Q4_K_M           | Q4_K        | Q6_K in the first and last eighth and every third between   | Q6_K   |
/// | Q5_K_S, Q5_K_M   | Q5_K        | as above, both with Q6_K                                    | Q6_K   |
///
/// "Q4_K" and "Q5_K" mean the M mixes. Source: llama.cpp's llama-quant.cpp, whose rule for attn_v in the S
/// mixes is the first four layers, and which treats models of eight experts and of 70B parameters by
/// themselves.
struct QuantMix {
    std::string_view name;
    uint32_t fileType;  ///< general.file_type
    std::string_view matrices;
    std::string_view better;  ///< for value and down projections of some layers
    enum class Layers : uint8_t { None, FirstEighth, EighthsAndThirds } betterLayers;
    std::string_view output;
};

/// Errors: InvalidArgument, listing the mixes there are.
Result<const QuantMix*> findMix(std::string_view name);

/// Whether quantising may touch the tensor: matrices may be, vectors and what is small and sensitive
/// (routers, RWKV's mixing shares and low-rank projections) not.
bool isQuantizable(std::string_view name, const tensor::Shape& shape);

/// The format for one tensor of `model`. A row that is not whole blocks makes it Q8_0, else F16. Vectors
/// become F32; other tensors that may not be quantised keep a float format they have, else become F32.
const quant::QuantFormat& formatFor(const QuantMix& mix, const formats::ModelFile& model,
                                    const tensor::Tensor& tensor);

}  // namespace ingle::importer
