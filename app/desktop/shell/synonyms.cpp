#include "app/desktop/shell/synonyms.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace ingle::desktop {
namespace {

#define WORDS(text) QT_TRANSLATE_NOOP("Synonyms", text)

struct Synonyms {
    const char* action;  ///< its id in actions.cpp
    const char* words;
};
constexpr Synonyms kSynonyms[] = {
    {"settings", WORDS("preferences options configure dark light theme appearance look language font "
                       "temperature device threads context")},
    {"chatSettings", WORDS("system prompt instructions persona role temperature sampler options")},
    {"modelSettings", WORDS("system prompt instructions temperature template context options")},
    {"models", WORDS("switch change choose select download gguf llm")},
    {"openModel", WORDS("attach add upload file picture pdf load gguf")},
    {"documents", WORDS("attach add upload files pdf read knowledge")},
    {"prompts", WORDS("templates snippets personas presets")},
    {"importChats", WORDS("import migrate chatgpt claude transfer")},
    {"exportChat", WORDS("save download share markdown pdf html")},
    {"exportAll", WORDS("save download archive markdown json")},
    {"backUp", WORDS("backup save copy")},
    {"data", WORDS("storage disk space backups restore export import crash")},
    {"trash", WORDS("bin deleted recycle restore undelete")},
    {"remove", WORDS("remove erase discard bin")},
    {"removeMessage", WORDS("remove erase")},
    {"regenerate", WORDS("regenerate retry redo again reroll")},
    {"continueInNew", WORDS("branch fork split copy")},
    {"continueAnswer", WORDS("resume go on")},
    {"previousVersion", WORDS("branch earlier alternative")},
    {"nextVersion", WORDS("branch later alternative")},
    {"stop", WORDS("cancel abort interrupt halt")},
    {"copyAnswer", WORDS("clipboard")},
    {"editMessage", WORDS("change correct rewrite")},
    {"checkAnswer", WORDS("verify prove reproduce receipt")},
    {"findQuotes", WORDS("sources citations references")},
    {"pinMessage", WORDS("pin keep remember context")},
    {"unpinMessage", WORDS("unpin context")},
    {"newConversation", WORDS("start chat thread")},
    {"privateChat", WORDS("incognito secret temporary")},
    {"search", WORDS("find look all chats history")},
    {"find", WORDS("search look")},
    {"rename", WORDS("title name")},
    {"pin", WORDS("favourite favorite star top")},
    {"archive", WORDS("hide put away")},
    {"moveToFolder", WORDS("group project organise organize")},
    {"prompt", WORDS("context tokens system prompt template inspect")},
    {"undo", WORDS("revert restore back")},
    {"largerText", WORDS("zoom bigger font size increase")},
    {"smallerText", WORDS("zoom font size decrease")},
    {"usualText", WORDS("zoom reset font size 100")},
    {"help", WORDS("manual guide faq support documentation")},
    {"shortcuts", WORDS("keyboard hotkeys keys bindings")},
    {"quit", WORDS("exit close leave")},
};
#undef WORDS

}  // namespace

QString synonymsOf(const QString& action) {
    const auto found = std::ranges::find_if(
        kSynonyms, [&](const Synonyms& each) { return action == QLatin1String(each.action); });
    return found == std::end(kSynonyms) ? QString() : QCoreApplication::translate("Synonyms", found->words);
}

}  // namespace ingle::desktop
