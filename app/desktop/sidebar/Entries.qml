// What there is beside conversations, at the foot of the sidebar.
import QtQuick
import QtQuick.Layouts
import Inglenook

RowLayout {
    id: entries

    required property Actions actions
    required property string page

    objectName: "sidebarEntries"
    spacing: 0
    Accessible.role: Accessible.ToolBar
    Accessible.name: qsTr("Pages")

    Repeater {
        model: ["privateChat", "documents", "prompts", "trash", "help"]
        delegate: Item {
            id: entry

            required property string modelData

            Layout.fillWidth: true
            implicitHeight: Theme.controlSize + Theme.s

            IconButton {
                objectName: "entry-" + entry.modelData
                anchors.horizontalCenter: parent.horizontalCenter
                iconName: entries.actions.iconOf(entry.modelData)
                tint: entries.page === entry.modelData ? Theme.accent : Theme.mutedText
                hint: entries.actions.revision >= 0 ? entries.actions.hint(entry.modelData) : ""
                onClicked: entries.actions.run(entry.modelData)
            }
        }
    }
}
