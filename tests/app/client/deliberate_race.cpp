/// Does what a user of the client must not: reads in one thread what a handler writes in another.
/// ThreadSanitizer has to complain.
#include <atomic>
#include <cstdio>
#include <thread>

#include "app/client/client.h"
#include "app/client/host_process.h"

int main(int, char** arguments) {
    using namespace ingle;
    auto client = client::Client::create(client::startedBy({arguments[1], {}}), {});
    if (!client) return 2;
    uint64_t bytes = 0;  // shared without a lock
    std::atomic<bool> over = false;
    (*client)->send<protocol::Computer>({}, {.finished = [&](const auto& outcome) {
                                            bytes = outcome ? outcome->info.usableBytes : 0;
                                            over.store(true, std::memory_order_relaxed);
                                        }});
    while (!over.load(std::memory_order_relaxed)) std::this_thread::yield();
    std::printf("%llu\n", static_cast<unsigned long long>(bytes));
    return 0;
}
