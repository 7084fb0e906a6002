/// Models worth having, for people who have none: resources/models.json. Nothing here is looked up anywhere;
/// the file says how old it is and where each of its facts comes from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::library {

struct CatalogModel {
    std::string name;
    std::string maker;
    std::string licence;
    std::string family;     ///< as Inglenook names it, e.g. "qwen3"
    std::string use;        ///< "chat", "code" or "embedding"
    uint32_t memoryGb = 0;  ///< the smallest computer it is meant for
    double parametersBillion = 0;
    double activeBillion = 0;    ///< of them, that compute each token; 0: all
    double fileGb = 0;           ///< 10^9 bytes
    uint32_t contextTokens = 0;  ///< 0: no source states it, or there is no limit
    std::string file;            ///< its name where it is got
    std::string page;            ///< where it is got
};

struct Catalog {
    std::string asOf;  ///< date of the facts, "2026-11-22"
    std::vector<CatalogModel> models;
};

/// The file that is installed with Inglenook; empty: none.
std::string catalogPath();
/// Errors: Io; Corrupt, naming the entry.
Result<Catalog> readCatalog(const std::string& path);

/// A computer, as far as the choice of a model goes.
struct ComputerSize {
    uint64_t memoryBytes = 0;
    uint64_t readBytesPerSecond = 0;  ///< of memory; 0: not known
};

/// Where the file itself is got, for a browser.
std::string fileAddress(const CatalogModel& model);

/// Tokens a second that it is foretold to write; 0: the computer's speed is not known.
double foretoldSpeed(const CatalogModel& model, const ComputerSize& computer);

/// From here on reading along is pleasant.
inline constexpr double kPleasantTokensPerSecond = 8;

/// It finds passages by what they mean, and writes nothing.
bool isEmbedding(const CatalogModel& model);

/// At most `count` of the catalog's models that write, fit and are pleasant: the largest of these, the
/// smallest of them first. Where none is pleasant, the smallest that fit. Empty when all are meant for more
/// memory.
std::vector<CatalogModel> goodChoices(std::span<const CatalogModel> models, const ComputerSize& computer,
                                      size_t count);

}  // namespace ingle::library
