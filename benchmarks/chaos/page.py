def write_page(found): pass
