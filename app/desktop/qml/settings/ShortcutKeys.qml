// The keys of actions: what the window listens to, what its card and its help show, and what the guide tells. (The composer and
// the list of conversations listen to theirs, the first four, by themselves.)
pragma Singleton
import QtQuick

QtObject {
    readonly property string send: qsTr("Enter")
    readonly property string newLine: qsTr("Shift+Enter")
    readonly property string editLast: "↑"
    readonly property string otherConversations: "Alt+↓ Alt+↑"
    readonly property string stop: "Esc"
    readonly property string continueAnswer: "Ctrl+G"
    readonly property string regenerate: "Ctrl+R"
    readonly property string copyAnswer: "Ctrl+Shift+C"
    readonly property string newConversation: "Ctrl+N"
    readonly property string search: "Ctrl+K"
    readonly property string rename: "F2"
    readonly property string pin: "Ctrl+D"
    readonly property string remove: "Ctrl+Shift+Backspace"
    readonly property string models: "Ctrl+L"
    readonly property string settings: "Ctrl+,"
    readonly property string help: "F1"
    readonly property string shortcuts: "Ctrl+/"
    readonly property string quit: "Ctrl+Q"
}
