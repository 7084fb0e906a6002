/// The embedding model of the host: it has nothing to do with the one that writes. Engine thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/protocol/messages.h"
#include "ingle/embedder.h"

namespace ingle::cli {

class Embeddings {
  public:
    using Load = std::function<Result<std::unique_ptr<Embedder>>(const std::string& path)>;

    explicit Embeddings(Load load);

    /// Loads the model that is named, unless it is there already. Errors: as Embedder::load() and embed();
    /// Unsupported for one that makes no row of a whole text, or is asked for what the other kind does;
    /// Device for rows that are no numbers.
    Result<protocol::Embedded> of(const protocol::Embed& request);
    void unload();

  private:
    const Load m_load;
    std::string m_path;
    std::unique_ptr<Embedder> m_embedder;  ///< of m_path
};

}  // namespace ingle::cli
