// What can be done with a message, in the space below it: quiet until the pointer or the keyboard is near. Which of
// several versions it is can always be seen.
import QtQuick
import Inglenook

FocusScope {
    id: row

    required property double messageId
    required property bool isUser
    required property bool last
    required property string figures
    required property string time
    required property int siblingIndex
    required property int siblingCount

    readonly property ChatList list: ListView.view as ChatList
    readonly property bool revealed: last || activeFocus || (list !== null && list.hoveredMessage === messageId)
    readonly property real columnX: list ? list.columnX : 0
    readonly property real columnWidth: list ? list.columnWidth : 0

    function can(action: string): bool {
        return list !== null && list.actions.revision >= 0 && list.actions.can(action, messageId);
    }

    width: ListView.view ? ListView.view.width : 0
    height: Theme.controlSize + (isUser ? Theme.xs : Theme.m)
    // A row that waits for its next use is nowhere, for the keyboard and for screen readers, too.
    ListView.onPooled: visible = false
    ListView.onReused: visible = true

    Row {
        y: 1
        // The icons, not their surfaces, stand at the column's edge.
        x: row.isUser ? row.columnX + row.columnWidth - width + Theme.s : row.columnX - Theme.s
        layoutDirection: row.isUser ? Qt.RightToLeft : Qt.LeftToRight
        spacing: Theme.xs

        Loader {
            active: row.siblingCount > 1
            visible: active
            sourceComponent: Row {
                objectName: "versions"

                IconButton {
                    objectName: "previousVersion"
                    iconName: "chevron-left"
                    hint: row.list ? row.list.actions.hint(objectName) : ""
                    enabled: row.can(objectName)
                    onClicked: row.list.actions.run(objectName, row.messageId)
                }
                Text {
                    textFormat: Text.PlainText
                    anchors.verticalCenter: parent.verticalCenter
                    text: (row.siblingIndex + 1) + "/" + row.siblingCount
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize
                }
                IconButton {
                    objectName: "nextVersion"
                    iconName: "chevron-right"
                    hint: row.list ? row.list.actions.hint(objectName) : ""
                    enabled: row.can(objectName)
                    onClicked: row.list.actions.run(objectName, row.messageId)
                }
            }
        }
        // Most of these are never looked at: they are made when there is time, or when they are wanted.
        Loader {
            id: quiet
            active: row.list !== null
            asynchronous: !row.revealed
            opacity: row.revealed ? 1 : 0
            Behavior on opacity {
                NumberAnimation {
                    duration: Theme.fadeMs
                }
            }
            sourceComponent: Row {
                id: buttons

                /// What is wanted often has a button; a message that is pinned says so. The rest is in the menu, but
                /// for continuing, which stands where the answer ended.
                readonly property var often: ["editMessage", "regenerate", "unpinMessage"]
                readonly property var elsewhere: ["copyAnswer", "continueAnswer", "previousVersion", "nextVersion"]
                readonly property var all: row.list && row.list.actions.revision >= 0
                        ? row.list.actions.ofMessage(row.messageId) : []
                readonly property var actions: all.filter(each => often.includes(each.id))
                /// Buttons stay while the actions are the same.
                readonly property string ids: actions.map(each => each.id).join(" ")

                spacing: Theme.xs

                CopyButton {
                    hint: qsTr("Copy")
                    onClicked: row.list.copyRequested(row.list.chat.messageText(row.messageId))
                }
                Repeater {
                    model: buttons.ids.length > 0 ? buttons.ids.split(" ") : []
                    delegate: IconButton {
                        required property string modelData

                        iconName: buttons.actions.find(each => each.id === modelData)?.icon ?? ""
                        hint: row.list.actions.hint(modelData)
                        onClicked: row.list.actions.run(modelData, row.messageId)
                    }
                }
                IconButton {
                    id: more
                    objectName: "moreButton"
                    iconName: "more"
                    hint: qsTr("More")
                    onClicked: row.list.showMenu(
                        row.messageId, buttons.all.filter(each => !buttons.elsewhere.includes(each.id)), more)
                }
                Text {
                    anchors.verticalCenter: parent.verticalCenter
                    leftPadding: Theme.s
                    width: Math.min(implicitWidth, Math.max(0, row.columnWidth - quiet.x - x))
                    elide: Text.ElideRight
                    objectName: "messageTime"
                    text: row.isUser || row.figures.length === 0 ? row.time : row.time + " · " + row.figures
                    textFormat: Text.PlainText
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize - 1
                }
            }
        }
    }
}
