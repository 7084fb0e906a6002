#include "app/desktop/services/synonyms.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace ingle::desktop {
namespace {

struct Synonyms {
    const char* action;  ///< Action::id
    const char* words;
};
constexpr Synonyms kSynonyms[] = {
    {"settings",
     QT_TRANSLATE_NOOP("Synonyms",
                       "preferences options configure dark light theme appearance look language font "
                       "temperature device threads context")},
    {"chatSettings",
     QT_TRANSLATE_NOOP("Synonyms", "system prompt instructions persona role temperature sampler options")},
    {"modelSettings",
     QT_TRANSLATE_NOOP("Synonyms", "system prompt instructions temperature template context options")},
    {"models", QT_TRANSLATE_NOOP("Synonyms", "switch change choose select download gguf llm")},
    {"openModel", QT_TRANSLATE_NOOP("Synonyms", "load gguf file document")},
    {"attach", QT_TRANSLATE_NOOP("Synonyms", "attach upload file picture photo image pdf")},
    {"takeScreenshot", QT_TRANSLATE_NOOP("Synonyms", "capture screen grab picture image snip")},
    {"regenerateWith", QT_TRANSLATE_NOOP("Synonyms", "regenerate retry compare other model")},
    {"documents", QT_TRANSLATE_NOOP("Synonyms", "attach add upload files pdf read knowledge")},
    {"prompts", QT_TRANSLATE_NOOP("Synonyms", "templates snippets personas presets")},
    {"importChats", QT_TRANSLATE_NOOP("Synonyms", "bring in migrate chatgpt claude transfer")},
    {"exportChat", QT_TRANSLATE_NOOP("Synonyms", "save download share markdown pdf html")},
    {"exportAll", QT_TRANSLATE_NOOP("Synonyms", "save download archive markdown json")},
    {"backUp", QT_TRANSLATE_NOOP("Synonyms", "backup save copy")},
    {"data", QT_TRANSLATE_NOOP("Synonyms", "storage disk space backups restore export import crash")},
    {"trash", QT_TRANSLATE_NOOP("Synonyms", "bin deleted recycle restore undelete")},
    {"remove", QT_TRANSLATE_NOOP("Synonyms", "remove erase discard bin")},
    {"removeMessage", QT_TRANSLATE_NOOP("Synonyms", "remove erase")},
    {"regenerate", QT_TRANSLATE_NOOP("Synonyms", "regenerate retry redo again reroll")},
    {"continueInNew", QT_TRANSLATE_NOOP("Synonyms", "branch fork split copy")},
    {"continueAnswer", QT_TRANSLATE_NOOP("Synonyms", "resume go on")},
    {"previousVersion", QT_TRANSLATE_NOOP("Synonyms", "branch earlier alternative")},
    {"nextVersion", QT_TRANSLATE_NOOP("Synonyms", "branch later alternative")},
    {"stop", QT_TRANSLATE_NOOP("Synonyms", "cancel abort interrupt halt")},
    {"copyAnswer", QT_TRANSLATE_NOOP("Synonyms", "clipboard")},
    {"editMessage", QT_TRANSLATE_NOOP("Synonyms", "change correct rewrite")},
    {"checkAnswer", QT_TRANSLATE_NOOP("Synonyms", "verify prove reproduce receipt")},
    {"findQuotes", QT_TRANSLATE_NOOP("Synonyms", "sources citations references")},
    {"pinMessage", QT_TRANSLATE_NOOP("Synonyms", "keep remember context")},
    {"unpinMessage", QT_TRANSLATE_NOOP("Synonyms", "forget let go")},
    {"newConversation", QT_TRANSLATE_NOOP("Synonyms", "start chat thread")},
    {"privateChat", QT_TRANSLATE_NOOP("Synonyms", "incognito secret temporary")},
    {"search", QT_TRANSLATE_NOOP("Synonyms", "find look all chats history")},
    {"find", QT_TRANSLATE_NOOP("Synonyms", "search look")},
    {"rename", QT_TRANSLATE_NOOP("Synonyms", "title name")},
    {"pin", QT_TRANSLATE_NOOP("Synonyms", "favourite favorite star top")},
    {"archive", QT_TRANSLATE_NOOP("Synonyms", "hide put away")},
    {"moveToFolder", QT_TRANSLATE_NOOP("Synonyms", "group project organise organize")},
    {"prompt", QT_TRANSLATE_NOOP("Synonyms", "context tokens system prompt template inspect")},
    {"undo", QT_TRANSLATE_NOOP("Synonyms", "revert restore back")},
    {"largerText", QT_TRANSLATE_NOOP("Synonyms", "zoom bigger font size increase")},
    {"smallerText", QT_TRANSLATE_NOOP("Synonyms", "zoom font size decrease")},
    {"usualText", QT_TRANSLATE_NOOP("Synonyms", "zoom reset font size 100")},
    {"help", QT_TRANSLATE_NOOP("Synonyms", "manual guide faq support documentation")},
    {"shortcuts", QT_TRANSLATE_NOOP("Synonyms", "keyboard hotkeys keys bindings")},
    {"quit", QT_TRANSLATE_NOOP("Synonyms", "exit close leave")},
};

}  // namespace

QString synonymsOf(const QString& action) {
    const auto found = std::ranges::find_if(
        kSynonyms, [&](const Synonyms& each) { return action == QLatin1String(each.action); });
    return found == std::end(kSynonyms) ? QString() : QCoreApplication::translate("Synonyms", found->words);
}

}  // namespace ingle::desktop
