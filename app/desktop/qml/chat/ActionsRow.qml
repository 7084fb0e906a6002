// What can be done with a message, in the space below it: quiet until the pointer or the keyboard is near. Which of
// several versions it is can always be seen.
import QtQuick
import Inglenook

FocusScope {
    id: row

    required property double messageId
    required property bool isUser
    required property bool last
    required property string modelName
    required property int newTokens
    required property double tokensPerSecond
    required property int siblingIndex
    required property int siblingCount

    readonly property ChatList list: ListView.view as ChatList
    readonly property bool busy: !list || list.busy
    readonly property bool revealed: last || activeFocus || (list && list.hoveredMessage === messageId)
    /// Copying has a button that says that it did, and continuing stands where the answer ended.
    readonly property var actions: {
        if (!list || list.actions.revision < 0)
            return [];
        return list.actions.ofMessage(messageId).filter(each => each.id !== "copyAnswer" && each.id !== "continueAnswer");
    }

    /// Buttons stay while the actions are the same.
    readonly property string ids: actions.map(each => each.id).join(" ")

    width: ListView.view ? ListView.view.width : 0
    height: Theme.controlSize + (isUser ? Theme.xs : Theme.m)
    // A row that waits for its next use is nowhere, for the keyboard and for screen readers, too.
    ListView.onPooled: visible = false
    ListView.onReused: visible = true

    Row {
        y: 1
        x: {
            const left = row.list ? row.list.columnX : 0;
            // The icons, not their surfaces, stand at the column's edge.
            return row.isUser ? left + (row.list ? row.list.columnWidth : 0) - width + Theme.s : left - Theme.s;
        }
        layoutDirection: row.isUser ? Qt.RightToLeft : Qt.LeftToRight
        spacing: Theme.xs

        Row {
            objectName: "versions"
            visible: row.siblingCount > 1

            IconButton {
                objectName: "previousVersion"
                iconName: "chevron-left"
                hint: qsTr("Previous version")
                enabled: row.siblingIndex > 0 && !row.busy
                onClicked: row.list.chat.showSibling(row.messageId, -1)
            }
            Text {
                textFormat: Text.PlainText
                anchors.verticalCenter: parent.verticalCenter
                text: (row.siblingIndex + 1) + "/" + row.siblingCount
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
            IconButton {
                iconName: "chevron-right"
                hint: qsTr("Next version")
                enabled: row.siblingIndex + 1 < row.siblingCount && !row.busy
                onClicked: row.list.chat.showSibling(row.messageId, 1)
            }
        }
        Row {
            opacity: row.revealed ? 1 : 0
            spacing: Theme.xs
            Behavior on opacity {
                NumberAnimation {
                    duration: Theme.fadeMs
                }
            }

            CopyButton {
                hint: qsTr("Copy")
                onClicked: row.list.copyRequested(row.list.chat.messageText(row.messageId))
            }
            Repeater {
                model: row.ids.length > 0 ? row.ids.split(" ") : []
                delegate: IconButton {
                    required property string modelData

                    iconName: row.actions.find(each => each.id === modelData)?.icon ?? ""
                    hint: row.list.actions.hint(modelData)
                    onClicked: row.list.actions.run(modelData, row.messageId)
                }
            }
            Text {
                anchors.verticalCenter: parent.verticalCenter
                leftPadding: Theme.s
                width: Math.min(implicitWidth, Math.max(0, (row.list ? row.list.columnWidth : 0) - parent.x - x))
                elide: Text.ElideRight
                visible: !row.isUser
                text: {
                    const speed = row.tokensPerSecond;
                    return speed > 0 ? qsTr("%1 · %2 tokens · %3 per second").arg(row.modelName).arg(row.newTokens).arg(speed.toFixed(speed < 10 ? 1 : 0)) : row.modelName;
                }
                textFormat: Text.PlainText
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
            }
        }
    }
}
