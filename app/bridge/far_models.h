/// The models that the far server offers, as the host protocol speaks of models.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/bridge/far_address.h"
#include "ingle/recognition.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::bridge {

struct FarModel {
    std::string name;            ///< as the far server knows it
    uint32_t contextTokens = 0;  ///< 0: not told
    /// Its server is of a kind that goes on with a last message of the assistant, as "owned_by" says.
    bool continues = false;
};

std::string pathOf(const FarModel& model);

/// Of the answer to GET /models: {"data": [{"id": …}, …]}. Its context some servers tell, as "max_model_len"
/// (vLLM), "context_length" or "meta": {"n_ctx": …} (llama.cpp). Errors: Corrupt (no such list; the message
/// is for strangeAnswer()).
Result<std::vector<FarModel>> readModels(std::string_view body);

/// Those of `named`, in that order, with what is known of them; all of `known` where none is named.
std::vector<FarModel> offered(std::vector<FarModel> known, std::span<const std::string> named);

ModelInfo infoOf(const FarModel& model, const FarAddress& address);
Recognition recognitionOf(const FarModel& model, const FarAddress& address);
/// Of a path that is none of them.
Recognition refusedRecognition(const std::string& path, Error error);

}  // namespace ingle::bridge
