// The model's context is full: what stands above this line it does not see any more.
import QtQuick
import Inglenook

Item {
    id: row

    readonly property ChatList list: ListView.view as ChatList

    width: ListView.view ? ListView.view.width : 0
    height: line.implicitHeight + Theme.xl

    Text {
        id: line
        x: row.list ? row.list.columnX : 0
        width: row.list ? row.list.columnWidth : 0
        textFormat: Text.PlainText
        text: qsTr("The model no longer sees the messages above")
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize
        font.italic: true
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
