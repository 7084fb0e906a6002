/// Models that make rows of numbers of a text: how its rows become one, and what is done with that one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/models/family.h"

namespace ingle::models {

/// What classifiers of a family (pooling_type 4) do before their output layer, cls.output.
struct ClassifierTraits {
    Pooling pooling = Pooling::First;  ///< where no key, classifier.pooling, says otherwise
    /// Of the layer before it, "cls", where the file has that.
    backend::ActivationKind activation = backend::ActivationKind::Tanh;
    bool makesShares = false;  ///< several scores are shares, which add up to 1
};

/// Sets ModelFacts::pooling and ModelFacts::pooledSteps. `normEps`: of a classifier's norm. Errors: Corrupt,
/// Unsupported.
Status readPooling(const Keys& keys, const ClassifierTraits& classifier, float normEps, ModelFacts& facts);
/// The same of a decoder, where pooling_type says that it makes such rows, as all of an encoder's family do.
/// Its tokens see those behind them where attention.causal is false. Errors: as above.
Status readPooling(const Keys& keys, FamilyKind kind, DecoderSpec& spec);
/// The weights of the steps.
void listPooledSteps(const ModelFacts& facts, std::vector<TensorSpec>& specs);

/// The activation under that key; "gelu", which is also meant where the key is absent, is the form with tanh,
/// as llama.cpp computes it, and "gelu_erf" the one with the error function. Errors: Unsupported.
Result<backend::ActivationKind> readActivation(const Keys& keys, std::string_view key = "hidden_activation");

}  // namespace ingle::models
