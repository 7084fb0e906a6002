#include "app/cli/prove/conversation.h"

#include <filesystem>
#include <fstream>
#include <future>

#include "app/client/client.h"
#include "app/client/host_process.h"
#include "app/documents/read_document.h"

namespace ingle::cli::prove {
namespace {

constexpr auto kPatience = std::chrono::minutes(5);
constexpr uint32_t kAnswerTokens = 48;
constexpr std::string_view kDocument =
    "<html><body><h1>Pear cake</h1><p>Four pears, 200 g of flour, 150 g of sugar, three eggs. Bake it for "
    "forty minutes at 180 degrees.</p></body></html>";

/// Sends a request and waits for its end.
template <typename R>
Result<typename R::Reply> ask(client::Client& client, R request) {
    const auto promise = std::make_shared<std::promise<Result<typename R::Reply>>>();
    auto future = promise->get_future();
    client.send(std::move(request),
                client::Handlers<R>{.finished = [promise](const client::Outcome<R>& outcome) {
                    if (outcome)
                        promise->set_value(*outcome);
                    else
                        promise->set_value(tl::unexpected(outcome.error().error));
                }});
    if (future.wait_for(kPatience) != std::future_status::ready)
        return fail(ErrorCode::Io, "the engine did not answer within {} minutes", kPatience.count());
    return future.get();
}

}  // namespace

Status converse(const std::string& model, const std::string& folder) {
    const std::string path = folder + "/recipe.html";
    std::ofstream(path) << kDocument;
    INGLE_TRY_ASSIGN(const documents::Document document, documents::readDocument(path));

    std::error_code unknown;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    INGLE_TRY_ASSIGN(const auto client, client::Client::create(client::startedBy({program, {"host"}}), {}));
    INGLE_TRY(ask(*client, protocol::Load{model, {}}));
    GenerateRequest request;
    request.conversation = "prove";
    request.maxTokens = kAnswerTokens;
    for (const std::string& question :
         {"How long is it baked?\n\n" + document.text, std::string("How do I import a model?")}) {
        request.messages.push_back(textMessage(Role::User, question));
        INGLE_TRY_ASSIGN(const protocol::Done done, ask(*client, protocol::Generate{request}));
        if (done.result.stats.newTokens == 0) return fail(ErrorCode::Io, "the model answered nothing");
        request.messages.push_back(textMessage(Role::Assistant, "Forty minutes."));
    }
    return {};
}

}  // namespace ingle::cli::prove
