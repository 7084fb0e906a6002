// Any text as a chat template: whatever it does ends in a Result, within small limits.
#include <cstdint>
#include <string_view>

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/jinja/template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ingle::chat::jinja;
    static const Value context = *fromJson(nlohmann::ordered_json::parse(
        R"({"messages": [{"role": "user", "content": "Hi <b>"}, {"role": "assistant", "content": "Hello"}],
            "tools": null, "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>"})"));
    const auto parsed = Template::parse({reinterpret_cast<const char*>(data), size});
    Meter meter(size_t{4} << 20);
    if (parsed) static_cast<void>(parsed->render(*context.dict(), {}, meter));
    return 0;
}
