// How an answer stands when it is not simply complete, and what can be done about it.
import QtQuick
import Inglenook

Item {
    id: row

    required property double messageId
    required property string sentence
    required property string wayOn
    required property bool failed
    required property string details
    required property bool empty

    readonly property ChatList list: ListView.view as ChatList
    readonly property bool canContinue: list !== null && list.actions.revision >= 0
        && list.actions.can("continueAnswer", messageId)

    width: ListView.view ? ListView.view.width : 0
    // A row that waits for its next use is nowhere, for the keyboard and for screen readers, too.
    ListView.onPooled: visible = false
    ListView.onReused: visible = true
    height: sentence.length > 0 ? line.y + line.height + (more.item ? more.height : 0) : 0

    Text {
        id: line
        x: (row.list ? row.list.columnX : 0)
            + (row.canContinue && row.LayoutMirroring.enabled ? button.width + Theme.m : 0)
        y: row.empty ? 0 : Theme.s
        width: (row.list ? row.list.columnWidth : 0) - (row.canContinue ? button.width + Theme.m : 0)
        height: Math.max(implicitHeight, row.canContinue ? Theme.controlSize : 0)
        verticalAlignment: Text.AlignVCenter
        text: row.sentence
        textFormat: Text.PlainText
        color: row.failed ? Theme.danger : Theme.mutedText
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    Loader {
        id: more
        x: line.x - Theme.xs
        y: line.y + line.height
        width: row.list ? row.list.columnWidth : 0
        active: row.details.length > 0
        sourceComponent: ErrorDetails {
            objectName: "answerDetails"
            portal: row.list.portal
            words: row.details
        }
    }
    TextButton {
        id: button
        objectName: "continueButton"
        visible: row.canContinue
        x: row.LayoutMirroring.enabled ? line.x - width - Theme.m : line.x + line.width + Theme.m
        anchors.verticalCenter: line.verticalCenter
        text: row.wayOn
        onClicked: row.list.actions.run("continueAnswer", row.messageId)
    }
}
