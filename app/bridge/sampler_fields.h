/// How the next token is chosen, as fields of a request: some are in OpenAI's interface, and further ones in
/// that of most servers that run models themselves, while others refuse them by name.
/// Source: OpenAI API reference, "Create chat completion"; vLLM's "Extra parameters" of the Chat API (top_k,
/// min_p, repetition_penalty); llama.cpp's server README (typical_p, repeat_penalty).
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "ingle/types.h"

namespace ingle::bridge {

/// Names of further fields.
using FieldNames = std::set<std::string, std::less<>>;

void addSampler(nlohmann::json& request, const SamplerParams& sampler);

/// Whether a refusal names that field, be it by a sentence, a parameter or a place.
bool namesField(std::string_view refusal, std::string_view field);

/// The further fields of `request` that a refusal names.
FieldNames refusedFields(const nlohmann::json& request, std::string_view refusal);

/// What is left out of `request` without them, for people: "top-k and min-p"; "" where another field says the
/// same.
std::string wordsOf(const FieldNames& leftOut, const nlohmann::json& request);

}  // namespace ingle::bridge
